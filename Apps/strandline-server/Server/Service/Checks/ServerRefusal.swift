import StrandlineHTTPProtocol
import StrandlineTransport

/// Why a request is not served, with the status and the headers that go with it.
struct ServerRefusal: Error {
  let status: Int
  let error: TransportError
  var headers: [String: String] = [:]

  /// Refuses with a status of its own.
  init(_ status: Int, _ error: TransportError, headers: [String: String] = [:]) {
    self.status = status
    self.error = error
    self.headers = headers
  }

  /// Refuses with the status that belongs to an error.
  init(_ error: TransportError) {
    self.init(ErrorBody(error).status, error)
  }

  /// Refuses what is wrong for good.
  static func invalid(
    _ status: Int, _ code: String, _ message: String, advice: String = "",
    headers: [String: String] = [:]
  ) -> ServerRefusal {
    ServerRefusal(
      status, TransportError(.init(rawValue: code), message, advice: advice, remedy: .stop),
      headers: headers)
  }

  /// Refuses what may be asked again later.
  static func later(
    _ status: Int, _ code: TransportError.Code, _ message: String, seconds: Int
  ) -> ServerRefusal {
    ServerRefusal(
      status,
      TransportError(
        code, message, advice: "Try again in \(seconds) seconds.",
        remedy: .retry(afterMilliseconds: Int64(seconds) * 1000)))
  }
}
