import CCurl
import Foundation

/// What curl knows about a transfer that failed.
struct CurlFailure {
  let code: CURLcode
  /// The server's name and port.
  let host: String
  /// The system's error number of a connection that failed.
  let systemError: Int32
  /// OpenSSL's number of what is wrong with the certificate; 1 where it is curl that minds its name.
  let verification: Int
  /// What a proxy answered when it was asked for a tunnel; 0 where none was.
  let proxyStatus: Int
  /// Whether the environment names a proxy, which may be the one that did not answer.
  let mayUseProxy: Bool
  /// The file that was to be trusted instead of the system's.
  let authorityFile: String?

  init(
    _ code: CURLcode, _ easy: UnsafeMutableRawPointer, host: String, options: CurlClientOptions
  ) {
    self.code = code
    self.host = host
    systemError = Int32(clamping: strand_curl_get_long(easy, CURLINFO_OS_ERRNO))
    verification = strand_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT)
    proxyStatus = strand_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
    authorityFile = options.authorityFile
    mayUseProxy = options.proxy == .environment && Self.environmentNamesProxy
  }

  private static var environmentNamesProxy: Bool {
    let variables = ProcessInfo.processInfo.environment
    return ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      .contains { variables[$0]?.isEmpty == false }
  }
}

extension HTTPClientError {
  /// Says what a failure of curl means.
  init(_ failure: CurlFailure) {
    let host = failure.host
    if failure.proxyStatus >= 300 {
      self.init(
        .unreachable, "the proxy refused to connect to \(host) (status \(failure.proxyStatus))",
        advice: Self.proxyAdvice)
      return
    }
    switch failure.code {
    case CURLE_COULDNT_RESOLVE_HOST:
      self.init(
        .unreachable, "no address is known for \(host)",
        advice: "Check the name, and whether this device is online.")
    case CURLE_COULDNT_RESOLVE_PROXY:
      self.init(
        .unreachable, "no address is known for the proxy on the way to \(host)",
        advice: Self.proxyAdvice)
    case CURLE_COULDNT_CONNECT: self = .notConnected(failure)
    case CURLE_OPERATION_TIMEDOUT: self.init(.timedOut, "\(host) did not answer in time")
    case CURLE_PEER_FAILED_VERIFICATION: self = .notVerified(failure)
    case CURLE_SSL_CACERT_BADFILE:
      self.init(
        .untrusted,
        "the certificate authorities in '\(failure.authorityFile ?? "")' cannot be read",
        advice: "Check that the file is there and holds certificates in PEM.")
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
      self.init(
        .untrusted, "no secure connection to \(host) could be made",
        advice: "Check that the server speaks https at this port, with TLS 1.2 or newer.")
    case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
      CURLE_HTTP2, CURLE_HTTP2_STREAM:
      self = .broken(host)
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      self = .noHTTP(host)
    case CURLE_URL_MALFORMAT: self = .unusableAddress
    case CURLE_OUT_OF_MEMORY: self = .noMemory
    default:
      let text = String(cString: curl_easy_strerror(failure.code))
      self.init(.unreachable, "\(host) could not be asked (curl: \(text))")
    }
  }

  private static let proxyAdvice =
    "Check the environment variables http_proxy, https_proxy and no_proxy."

  private static func notConnected(_ failure: CurlFailure) -> HTTPClientError {
    let host = failure.host
    switch failure.systemError {
    case _ where failure.mayUseProxy:
      return HTTPClientError(
        .unreachable, "\(host), or the proxy on the way to it, could not be connected to",
        advice: Self.proxyAdvice)
    case ECONNREFUSED:
      return HTTPClientError(
        .unreachable, "\(host) refused the connection",
        advice: "Check that the server runs and listens at this port.")
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN:
      return HTTPClientError(
        .unreachable, "no way leads to \(host)", advice: "Check whether this device is online.")
    case ETIMEDOUT: return HTTPClientError(.timedOut, "\(host) did not answer in time")
    default: return HTTPClientError(.unreachable, "\(host) could not be connected to")
    }
  }

  /// What is wrong with a certificate, by OpenSSL's numbers (`X509_V_ERR_…`).
  private static func notVerified(_ failure: CurlFailure) -> HTTPClientError {
    let host = failure.host
    switch failure.verification {
    case 0, 1, 62, 64:
      return HTTPClientError(
        .untrusted, "the certificate that \(host) showed is for another name",
        advice: "Use the name that the certificate was made for.")
    case 9:
      return HTTPClientError(
        .untrusted, "the certificate of \(host) is not valid yet",
        advice: "Check this device's clock.")
    case 10:
      return HTTPClientError(
        .untrusted, "the certificate of \(host) has expired",
        advice: "Renew it on the server, or correct this device's clock.")
    default:
      return HTTPClientError(
        .untrusted, "nobody whom this device trusts has signed the certificate of \(host)",
        advice: "If the server is yours, name the file of its certificate authority: "
          + "--ca-file FILE, or \"caFile\" in the configuration.")
    }
  }

  /// That the task which waited was cancelled.
  static let cancelled = HTTPClientError(.cancelled, "the request was cancelled")
  /// That the client has ended.
  static let shutDown = HTTPClientError(.cancelled, "the client was shut down")
  /// That the address or a header cannot be sent.
  static let unusableAddress = HTTPClientError(
    .unusable, "the address or a header of the request is not valid")
  /// That curl could not be set up.
  static let noMemory = HTTPClientError(.unusable, "libcurl could not be set up")

  /// That the connection ended too early.
  static func broken(_ host: String) -> HTTPClientError {
    HTTPClientError(.unreachable, "the connection to \(host) broke before the answer was whole")
  }

  /// That something else than HTTP came.
  static func noHTTP(_ host: String) -> HTTPClientError {
    HTTPClientError(.unusable, "what \(host) answered was no HTTP", advice: "Check the address.")
  }

  /// That nothing came for too long.
  static func silence(of host: String) -> HTTPClientError {
    HTTPClientError(.timedOut, "\(host) was silent for too long")
  }

  /// That an answer was larger than wanted.
  static func tooLarge(_ host: String, limit: Int) -> HTTPClientError {
    HTTPClientError(.unusable, "the answer of \(host) is larger than \(limit) bytes")
  }
}
