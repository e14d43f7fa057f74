import Foundation
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport

/// A server behind a real socket of this machine, with a storage in memory.
final class LiveDesk: Sendable {
  let cabinet: Cabinet
  let running: RunningServer<MemoryServerStorage>
  /// The same zones without a socket, as another process sees them.
  let desk: Desk

  /// Starts a server at a free port.
  static func start(
    _ cabinet: Cabinet = Cabinet(), set: @Sendable (inout ServeOptions) -> Void = { _ in }
  ) async throws -> LiveDesk {
    var options = ServeOptions(address: ListenAddress(host: "127.0.0.1", port: 0))
    options.isLogging = false
    options.tickMilliseconds = 20
    options.front.timing.sweep = 20
    set(&options)
    let made = options
    return try await onThread { try LiveDesk(cabinet, made) }
  }

  private init(_ cabinet: Cabinet, _ options: ServeOptions) throws {
    self.cabinet = cabinet
    desk = try Desk(cabinet: cabinet, process: 2)
    running = try RunningServer(
      MemoryServerStorage(cabinet), options, tokenHash: Desk.hash)
  }

  var port: UInt16 { running.front.address.port }

  func connect(receiveBuffer: Int32? = nil) async throws -> RawSocket {
    try await .connect(to: port, receiveBuffer: receiveBuffer)
  }

  /// Stops the server, whose calls block.
  func stop() async throws {
    let running = running
    try await onThread { running.stop() }
  }

  /// The head of a request.
  static func head(
    _ endpoint: Endpoint, length: Int? = nil, secret: String? = Desk.secret,
    more: [String] = []
  ) -> String {
    var lines = ["\(endpoint.method) \(endpoint.path) HTTP/1.1", "Host: localhost"]
    if let secret { lines.append("Authorization: Bearer \(secret)") }
    if endpoint.method == "POST" { lines.append("Content-Type: \(HTTPAPI.cbor)") }
    if let length { lines.append("Content-Length: \(length)") }
    return (lines + more).joined(separator: "\r\n") + "\r\n\r\n"
  }

  /// Sends a whole request on a connection of its own and returns the answer.
  func ask(
    _ endpoint: Endpoint, _ body: [UInt8] = [], secret: String? = Desk.secret
  ) async throws -> RawAnswer {
    let socket = try await connect()
    let head = Self.head(
      endpoint, length: endpoint.method == "POST" ? body.count : nil, secret: secret)
    try await socket.send(Array(head.utf8) + body)
    return try await socket.receiveAnswer()
  }

  /// Sends text on a connection of its own and returns everything that comes back.
  func answer(to text: String) async throws -> String {
    let socket = try await connect()
    try await socket.send(text)
    return try await socket.receiveAll()
  }
}

/// Runs what blocks on a thread that is not the tests' own.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
  }
}

/// Waits until something holds, for a minute at most.
func eventually(_ holds: @Sendable () async throws -> Bool) async throws -> Bool {
  let end = ContinuousClock.now + .seconds(60)
  while ContinuousClock.now < end {
    if try await holds() { return true }
    await Task.yield()
  }
  return false
}
