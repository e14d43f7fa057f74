import Foundation
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// The real program, killed while a device sends: what was answered stays, and what is sent again
/// is one effect.
@Suite(.serialized) struct KilledServerTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] == nil ? 20 : 100
  private static let seed =
    ProcessInfo.processInfo.environment["STRANDLINE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64.max)

  @Test func `a group that is sent again after a kill is one effect`() async throws {
    let folder = try TemporaryFolder()
    let server = ServerProcess(
      in: folder, data: "data", options: ["--log", folder.path("log")])
    try await server.start()
    try await server.admin("account", "add", "anna")
    let device = try await Sender(
      server, secret: try await server.admin("token", "create", "anna"))
    var random = SeededGenerator(seed: Self.seed)
    var committed = 0
    for round in 1...Self.rounds {
      let page = device.page(round)
      let socket = try await device.begin(page)
      // Every other time the group is known to be in the file, and its answer is never read;
      // else it may be in the air, half read, half written, or committed.
      if round.isMultiple(of: 2) {
        #expect(try await device.waits(forHead: round), "round \(round), seed \(Self.seed)")
      } else {
        try await Task.sleep(for: .microseconds(Int.random(in: 0...5000, using: &random)))
      }
      try await server.kill()
      withExtendedLifetime(socket) {}
      try await server.start()
      let head = try await device.head()
      #expect(head == round || head == round - 1, "round \(round), seed \(Self.seed)")
      if head == round { committed += 1 }

      let answer = try await device.send(page)

      #expect(answer.acceptance?.sequence == Int64(round), "round \(round), seed \(Self.seed)")
      #expect(try await device.head() == round, "round \(round), seed \(Self.seed)")
    }
    #expect(committed >= Self.rounds / 2)
    let all = try await device.fetch()
    #expect(all.changes.map(\.delta) == (1...Self.rounds).map(Sender.note))
    #expect(all.conflicts.isEmpty)
    try await server.admin("check")
    #expect(try await server.stop()?.code == 0)
  }

  /// A server that runs, with a token of its one account and a stream that was opened with it.
  private static func serverWithStream() async throws -> (ServerProcess, String, RawSocket) {
    let folder = try TemporaryFolder()
    let server = ServerProcess(
      in: folder, data: "data", options: ["--log", folder.path("log")])
    try await server.start()
    try await server.admin("account", "add", "anna")
    let secret = try await server.admin("token", "create", "anna")
    let stream = try await RawSocket.connect(to: server.port)
    try await stream.send(LiveDesk.head(.events, secret: secret))
    _ = try await stream.receive(until: ": connected")
    return (server, secret, stream)
  }

  @Test func `a server that is asked to stop answers what runs and ends well`() async throws {
    let (server, secret, stream) = try await Self.serverWithStream()

    let outcome = try await server.stop()

    #expect(outcome?.code == 0)
    #expect(try await stream.receiveAll().hasSuffix("0\r\n\r\n"))
    let log = try server.folder.read("log")
    #expect(log.contains("\"endpoint\":\"events\""))
    #expect(!log.contains(secret))
  }

  @Test func `a token that an administrator revokes ends its streams and its use at once`()
    async throws
  {
    let (server, secret, stream) = try await Self.serverWithStream()

    try await server.admin("token", "revoke", "1")

    #expect(try await stream.receiveAll().hasSuffix("0\r\n\r\n"))
    let socket = try await RawSocket.connect(to: server.port)
    try await socket.send(LiveDesk.head(.account, secret: secret))
    let answer = try await socket.receiveAnswer()
    #expect(answer.status == 401)
    #expect(String(decoding: answer.body, as: UTF8.self).contains("revoked"))
    _ = try await server.stop()
  }
}

/// A device that talks to a server process, a connection for each request.
private struct Sender {
  private let server: ServerProcess
  private let secret: String
  private var zone = ZoneID(rawValue: "")

  init(_ server: ServerProcess, secret: String) async throws {
    self.server = server
    self.secret = secret
    let request = OpenRequest(
      device: Desk.info(1), zoneName: "notes", environment: .development, expected: nil,
      schema: ["Note": ["text"]], proof: nil)
    zone = try ZoneDescription(decoding: try await ask(.open, request.encode()).body).zone
  }

  static func note(_ round: Int) -> RecordDelta {
    Fact.note("n\(round)", "text \(round)", at: Int64(round))
  }

  /// The group of a round; its tokens are its number, so that it can be sent again.
  func page(_ round: Int) -> SendPage {
    SendPage(
      device: Desk.info(1), zone: zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: UInt64(round), base: Int64(round - 1), sequence: Int64(round),
        transactionToken: UInt64(round), recordCount: 1),
      page: 0, isLast: true, deltas: [Self.note(round)])
  }

  /// Sends a page and does not wait for its answer.
  func begin(_ page: SendPage) async throws -> RawSocket {
    let socket = try await RawSocket.connect(to: server.port)
    let body = page.encode()
    let head = LiveDesk.head(
      .send(zone: zone.rawValue), length: body.count, secret: secret)
    try await socket.send(Array(head.utf8) + body)
    return socket
  }

  func send(_ page: SendPage) async throws -> SendAnswer {
    let answer = try await begin(page).receiveAnswer()
    guard answer.status == 200 else {
      throw UnexpectedAnswer(description: String(decoding: answer.body, as: UTF8.self))
    }
    return try SendAnswer(decoding: answer.body)
  }

  func fetch() async throws -> FetchPage {
    let request = FetchRequest(
      device: Desk.info(2), zone: zone, proof: nil, cursor: nil, limit: 2000)
    return try FetchPage(
      decoding: try await ask(.fetch(zone: zone.rawValue), request.encode()).body)
  }

  /// How far the zone has come, as people see it.
  func head() async throws -> Int {
    let answer = try await ask(.zones, [])
    let json = try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    return Int(json["zones"]?.elements?.first?["sequence"]?.integer ?? -1)
  }

  func waits(forHead wanted: Int) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if try await head() == wanted { return true }
    }
    return false
  }

  private func ask(_ endpoint: Endpoint, _ body: [UInt8]) async throws -> RawAnswer {
    let socket = try await RawSocket.connect(to: server.port)
    let head = LiveDesk.head(
      endpoint, length: endpoint.method == "POST" ? body.count : nil, secret: secret)
    try await socket.send(Array(head.utf8) + body)
    return try await socket.receiveAnswer()
  }
}
