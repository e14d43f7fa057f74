import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// A real database on a disk that is really full.
@Suite(.serialized, .enabled(if: Mount.isPossible, "Only root may mount a small disk."))
struct FullDiskServerTests {
  @Test func `sends are refused with 507, reads go on, and sends go on when there is space`()
    async throws
  {
    let disk = try await Mount.disk(kibibytes: 2048)
    let storage = try SQLiteServerStorage(
      folder: disk.folder, create: true, ownsCheckpoints: true)
    let desk = try FileDesk(storage)
    let zone = try desk.open(1).zone
    #expect(try desk.send(1, 1, to: zone, Fact.note("a", "milk")).status == 200)

    var sent = 1
    var status = 200
    while status == 200, sent < 100 {
      sent += 1
      let text = String(repeating: "\(sent % 10)", count: 100_000)
      status = try desk.send(1, sent, to: zone, Fact.note("n\(sent)", text)).status
    }

    #expect(status == 507)
    #expect(try desk.open(2).zone == zone)
    let page = try desk.fetch(2, from: zone)
    #expect(page.changes.count == sent - 1)
    #expect(desk.ask(.changes(zone: zone.rawValue), []).status == 200)
    #expect(desk.ask(.health, []).status == 507)

    try disk.grow(kibibytes: 64 << 10)
    desk.server.tick()

    #expect(desk.ask(.health, []).status == 200)
    #expect(try desk.send(1, sent, to: zone, Fact.note("z", "again")).status == 200)
    #expect(try desk.fetch(2, from: zone).changes.count == sent)
    try await disk.end()
  }
}

/// A server over a real database, without sockets.
struct FileDesk {
  let server: Server<SQLiteServerStorage>
  private let secret: TokenSecret

  init(_ storage: SQLiteServerStorage) throws {
    let storage = storage
    secret = TokenSecret()
    try storage.begin(.durable)
    try storage.add(Account(name: "anna", createdAt: 1))
    try storage.save(
      AccessToken(
        account: "anna", prefix: secret.prefix, hash: secret.hash, device: nil, createdAt: 1,
        expiresAt: nil))
    try storage.commit()
    server = try Server(
      storage: storage, clock: .system, random: SeededGenerator(seed: 1),
      tokenHash: { TokenSecret($0)?.hash })
  }

  func ask(_ endpoint: Endpoint, _ body: [UInt8]) -> ServerAnswer {
    server.answer(Desk.request(endpoint, body, secret: secret.text))
  }

  func open(_ device: UInt64) throws -> ZoneDescription {
    let request = OpenRequest(
      device: Desk.info(device), zoneName: "notes", environment: .development, expected: nil,
      schema: ["Note": ["text"]], proof: nil)
    return try ZoneDescription(decoding: ask(.open, request.encode()).bytes(200))
  }

  func send(
    _ device: UInt64, _ number: Int, to zone: ZoneID, _ delta: RecordDelta
  ) throws -> ServerAnswer {
    let page = SendPage(
      device: Desk.info(device), zone: zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: UInt64.random(in: 0...UInt64.max), base: Int64(number - 1),
        sequence: Int64(number), transactionToken: UInt64(number), recordCount: 1),
      page: 0, isLast: true, deltas: [delta])
    return ask(.send(zone: zone.rawValue), page.encode())
  }

  func fetch(_ device: UInt64, from zone: ZoneID) throws -> FetchPage {
    let request = FetchRequest(
      device: Desk.info(device), zone: zone, proof: nil, cursor: nil, limit: 2000)
    return try FetchPage(decoding: ask(.fetch(zone: zone.rawValue), request.encode()).bytes(200))
  }
}
