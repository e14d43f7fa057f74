import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport

/// Judges answers: what is believed, and what each other one means.
///
/// Only an answer with the header of a Strandline server is believed. Everything else on the way
/// may answer too: a captive portal with 200 and a page, a proxy with 502, 504 or 407.
struct AnswerReader: Sendable {
  /// The server's address, for errors.
  let address: String
  /// What was asked.
  let errand: Errand
  /// The time, in milliseconds since 1970.
  let now: Int64
  /// Who answered the last time that a server did.
  let lastServer: ServerSighting?

  /// Whether an answer names its server, as only a Strandline server's does.
  static func isServer(_ response: HTTPResponse) -> Bool { server(in: response) != nil }

  /// Who answered; nil where it was no Strandline server.
  static func server(in response: HTTPResponse) -> ServerSighting? {
    guard let id = response[header: HTTPAPI.serverHeader], (1...128).contains(id.utf8.count),
      id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    let incarnation = response[header: HTTPAPI.incarnationHeader].flatMap { Int64($0) }
    return ServerSighting(id: id, incarnation: incarnation ?? 0)
  }

  /// Lets a believable success pass.
  ///
  /// - Throws: What the server says is wrong, or `unreachable` where it was not the server.
  func check(_ response: HTTPResponse) throws(TransportError) {
    guard Self.isServer(response) else { throw stranger(response) }
    guard (200..<300).contains(response.status) else { throw refusal(response) }
    guard let expected = errand.expects else { return }
    guard response.status == 200, Self.contentType(response) == expected else {
      throw stranger(response)
    }
  }

  /// What a failure to reach the server means.
  func unreachable(_ error: HTTPClientError) -> TransportError {
    TransportError(
      .unreachable, "Could not \(errand.verb), \(error.text).", advice: error.advice,
      remedy: .retry(afterMilliseconds: nil), context: facts, cause: error)
  }

  /// What it means that a message could not be read.
  func unreadable(_ error: any ExplainedError, isNewer: Bool) -> TransportError {
    TransportError(
      isNewer ? .incompatibleVersion : .damaged,
      "Could not \(errand.verb), the answer of \(address) could not be read.",
      advice: isNewer ? "Update this app." : "It is tried again by itself.",
      remedy: isNewer ? .ask : .retry(afterMilliseconds: nil),
      context: ["address": address, "reason": error.message], cause: error)
  }

  /// What helps to find out what is wrong, besides the sentence.
  private var facts: [String: String] {
    var facts = ["address": address]
    if let lastServer {
      facts["lastServer"] = "\(lastServer.id), incarnation \(lastServer.incarnation)"
    }
    return facts
  }

  private static func contentType(_ response: HTTPResponse) -> String {
    let whole = response[header: "Content-Type"] ?? ""
    let type = whole.prefix { $0 != ";" }.lowercased()
    return type.trimmingPrefix(while: \.isWhitespace).split(separator: " ").first.map(String.init)
      ?? ""
  }

  // MARK: Somebody else

  /// That something between here and the server answered.
  private func stranger(_ response: HTTPResponse) -> TransportError {
    let type = PlainText.text(Self.contentType(response), limit: 60)
    let what = type.isEmpty ? "status \(response.status)" : "status \(response.status), \(type)"
    return TransportError(
      .unreachable,
      "Could not \(errand.verb), something other than a Strandline server answered at \(address) "
        + "(\(what)).",
      advice: strangerAdvice(response.status),
      remedy: .retry(afterMilliseconds: RetryAfter.milliseconds(in: response, now: now)),
      context: facts.merging(["status": String(response.status)]) { $1 })
  }

  private func strangerAdvice(_ status: Int) -> String {
    switch status {
    case 407: "The proxy on the way asks for a sign-in; see https_proxy and http_proxy."
    case 502...504: "A proxy answered that it does not reach the server; it is tried again."
    case 404, 405: "Check the address, its port and its path."
    case 300..<400:
      "Use the address that this one leads to, with https:// if it has that; or sign in to this "
        + "network on a web page first."
    default: "Check the address, and whether this network asks to sign in on a web page first."
    }
  }

  // MARK: The server

  /// What the server says is wrong.
  private func refusal(_ response: HTTPResponse) -> TransportError {
    let delay = RetryAfter.milliseconds(in: response, now: now)
    guard let json = Self.json(in: response), let error = ErrorBody(json)?.error else {
      return refusal(status: response.status, delay)
    }
    let isUnderstood = Self.remedies.contains(json["remedy"]?.string ?? "")
    return said(error, response.status, delay, isUnderstood: isUnderstood)
  }

  /// The body as JSON, or nil where it is none; the status then speaks for itself.
  private static func json(in response: HTTPResponse) -> JSONValue? {
    guard contentType(response) == HTTPAPI.json, response.body.count <= 64 << 10 else { return nil }
    do throws(JSONError) {
      return try JSONValue(parsing: String(decoding: response.body, as: UTF8.self))
    } catch {
      return nil
    }
  }

  private static let remedies: Set<String> = [
    "retry", "waitForAccount", "compareAll", "split", "fixClock", "ask", "stop",
  ]

  /// The server's own error, with what its headers add.
  private func said(
    _ error: TransportError, _ status: Int, _ delay: Int64?, isUnderstood: Bool
  ) -> TransportError {
    var remedy = error.remedy
    if !isUnderstood, status >= 500 || status == 429 { remedy = .retry(afterMilliseconds: nil) }
    if case .retry(let told) = remedy {
      remedy = .retry(afterMilliseconds: (told ?? delay).map(RetryAfter.bounded))
    }
    let message =
      error.message.hasPrefix("Could not ") && error.message.hasSuffix(".")
      ? error.message : "Could not \(errand.verb), \(address) answered: \(error.message)."
    let advice = error.advice.isEmpty && remedy == .ask ? "Update this app." : error.advice
    var context = error.context
    context["address"] = address
    context["status"] = String(status)
    return TransportError(error.code, message, advice: advice, remedy: remedy, context: context)
  }

  /// What a status means that comes without words.
  private func refusal(status: Int, _ delay: Int64?) -> TransportError {
    let (code, reason, remedy): (TransportError.Code, String, TransportError.Remedy) =
      switch status {
      case 401: (.notAuthorized, "the access token was refused", .waitForAccount)
      case 403: (.accountUnavailable, "the account may not be used", .waitForAccount)
      case 404, 405, 501: (.incompatibleVersion, "the server does not know the request", .ask)
      case 413, 431: (.tooLarge, "the request is larger than the server takes", .split)
      case 429: (.throttled, "there were too many requests", .retry(afterMilliseconds: delay))
      case 507: (.quota, "the server's space is used up", .retry(afterMilliseconds: delay))
      case 408, 500...: (.unreachable, "the server is busy", .retry(afterMilliseconds: delay))
      case 400..<500: (.invalidRequest, "the server refused the request", .stop)
      default: (.unreachable, "the answer means nothing", .retry(afterMilliseconds: delay))
      }
    return TransportError(
      code, "Could not \(errand.verb), \(reason) (\(address), status \(status)).",
      advice: advice(for: code), remedy: remedy,
      context: ["address": address, "status": String(status)])
  }

  private func advice(for code: TransportError.Code) -> String {
    switch code {
    case .notAuthorized: "Make a token on the server and put it into the token file."
    case .accountUnavailable: "Ask whoever keeps the server."
    case .incompatibleVersion: "Update this app or the server."
    default: "Everything is saved on this device."
    }
  }
}
