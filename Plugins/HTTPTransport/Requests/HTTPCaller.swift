import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// Puts errands into requests with the access token, and lets only believable answers through.
struct HTTPCaller: Sendable {
  let address: HTTPAddress
  let client: any HTTPClient
  let tokens: TokenSource
  let memory = ServerMemory()
  let clock: WallClock

  /// Asks and reads the message that is the answer.
  func ask<Answer: Message>(
    _ errand: Errand, for answer: Answer.Type = Answer.self
  ) async throws(TransportError) -> Answer {
    let bytes = try await ask(errand)
    do throws(WireError) {
      return try Answer(decoding: bytes)
    } catch {
      throw reader(errand).unreadable(error, isNewer: error.code == .newerFormat)
    }
  }

  /// Asks and returns the body of the answer.
  @discardableResult
  func ask(_ errand: Errand) async throws(TransportError) -> [UInt8] {
    // What would not be found again under its path must not become a part of one.
    guard Endpoint(path: errand.endpoint.path) == errand.endpoint else {
      throw TransportError(
        .zoneNotFound, "Could not \(errand.verb), no zone of \(address) has such a name.",
        advice: "Follow the server again.", remedy: .ask)
    }
    guard let token = try await tokens.current() else { throw noToken(errand) }
    var response = try await send(errand, token)
    if response.status == 401, let newer = await tokens.replacement(for: token) {
      response = try await send(errand, newer)
    }
    if let server = AnswerReader.server(in: response) { memory.note(server) }
    try reader(errand).check(response)
    return response.body
  }

  /// What an answer to an errand is judged by.
  func reader(_ errand: Errand) -> AnswerReader {
    AnswerReader(
      address: address.description, errand: errand, now: clock.milliseconds,
      lastServer: memory.server)
  }

  /// The request of an errand; the token stands in its header and nowhere else.
  func request(_ errand: Errand, _ token: Secret) -> HTTPRequest {
    var headers = [
      HTTPRequest.Header("Authorization", "Bearer \(token.text)"),
      HTTPRequest.Header("Accept", errand.expects ?? HTTPAPI.cbor),
    ]
    if errand.endpoint.method == "POST" {
      headers.append(HTTPRequest.Header("Content-Type", HTTPAPI.cbor))
    }
    return HTTPRequest(
      method: errand.endpoint.method, url: address.url(errand.endpoint.path), headers: headers,
      body: errand.body, bodyLimit: errand.bodyLimit)
  }

  private func send(
    _ errand: Errand, _ token: Secret
  ) async throws(TransportError) -> HTTPResponse {
    do throws(HTTPClientError) {
      return try await client.perform(request(errand, token))
    } catch {
      throw reader(errand).unreachable(error)
    }
  }

  private func noToken(_ errand: Errand) -> TransportError {
    TransportError(
      .notAuthorized, "Could not \(errand.verb), no access token for \(address) is known.",
      advice: "Make one with 'strandline-server token create ACCOUNT' on the server, and name "
        + "its file with --token-file.", remedy: .waitForAccount)
  }
}
