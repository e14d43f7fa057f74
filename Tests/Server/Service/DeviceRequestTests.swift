import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

struct DeviceRequestTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
  }

  @Test func `what one device sends another one fetches`() throws {
    let zone = try desk.open().zone
    try desk.open(2)

    let answer = try desk.send(1, to: zone, Fact.note("a", "milk"))
    let page = try desk.fetch(2, from: zone)

    #expect(answer.acceptance?.sequence == 1)
    #expect(page.changes.map(\.delta) == [Fact.note("a", "milk")])
    #expect(page.headReached)
  }

  @Test func `a send that is repeated is one effect`() throws {
    let zone = try desk.open().zone
    let page = desk.page(1, to: zone, [Fact.note("a", "milk")])

    let answers = try (0..<3).map { _ in
      try SendAnswer(
        decoding: desk.ask(.send(zone: zone.rawValue), page.encode()).bytes(200))
    }

    #expect(Set(answers.map { $0.acceptance?.position }) == [1])
    #expect(try desk.fetch(from: zone).changes.count == 1)
  }

  @Test func `the account's other devices are told in receipts`() throws {
    let zone = try desk.open().zone
    try desk.send(1, to: zone, Fact.note("a", "milk"))
    let page = try desk.fetch(2, from: zone)
    func exchange(_ device: UInt64) throws -> [DeviceReport] {
      let receipt = Receipt(
        device: Desk.info(device), zone: zone, proof: page.proof, cursor: page.cursor)
      return try DeviceReports(
        decoding: desk.ask(.receipts(zone: zone.rawValue), receipt.encode()).bytes(200)
      ).all
    }
    _ = try exchange(2)

    let reports = try exchange(1)

    #expect(reports.map(\.device.name) == ["device 2"])
    #expect(reports.map(\.position) == [1])
  }

  @Test func `after a purge the zone is gone`() throws {
    let zone = try desk.open().zone
    let purge = PurgeRequest(device: Desk.info(1), zone: zone)

    #expect(desk.ask(.purge(zone: zone.rawValue), purge.encode()).status == 204)

    let fetch = FetchRequest(
      device: Desk.info(2), zone: zone, proof: nil, cursor: nil, limit: 1)
    let answer = desk.ask(.fetch(zone: zone.rawValue), fetch.encode())
    #expect(answer.status == 410)
    #expect(try answer.json["code"]?.string == "zonePurged")
  }

  @Test func `a message for another zone than that of the path is refused`() throws {
    let zone = try desk.open().zone
    let page = desk.page(1, to: zone, [Fact.note("a", "milk")])

    let answer = desk.ask(.send(zone: "abcdef"), page.encode())

    #expect(answer.status == 400)
    #expect(try desk.fetch(from: zone).changes.isEmpty)
  }

  @Test func `a token of another account opens nothing of this one`() throws {
    let zone = try desk.open().zone
    try desk.send(1, to: zone, Fact.note("a", "secret"))
    desk.cabinet.addToken("token-of-bert", account: "bert")
    let bodies: [(Endpoint, [UInt8])] = [
      (
        .fetch(zone: zone.rawValue),
        FetchRequest(device: Desk.info(9), zone: zone, proof: nil, cursor: nil, limit: 1).encode()
      ),
      (
        .send(zone: zone.rawValue), desk.page(9, to: zone, [Fact.note("b", "mine")]).encode()
      ),
      (.purge(zone: zone.rawValue), PurgeRequest(device: Desk.info(9), zone: zone).encode()),
      (.changes(zone: zone.rawValue), []),
    ]
    for (endpoint, body) in bodies {
      let answer = desk.ask(endpoint, body, secret: "token-of-bert")
      #expect(answer.status == 404, "\(endpoint)")
      #expect(!String(decoding: try answer.bytes(404), as: UTF8.self).contains("secret"))
    }
    #expect(try desk.ask(.zones, secret: "token-of-bert").json["zones"]?.elements == [])
    #expect(try desk.open(9, secret: "token-of-bert").zone != zone)
    #expect(try desk.fetch(from: zone).changes.count == 1)
  }

  @Test func `a malformed message is refused with its byte`() throws {
    let whole = OpenRequest(
      device: Desk.info(1), zoneName: "notes", environment: .development, expected: nil,
      schema: [:], proof: nil
    ).encode()

    let answer = desk.ask(.open, Array(whole.dropLast()))

    #expect(answer.status == 400)
    let byte = try #require(try answer.json["context"]?["byte"]?.string.flatMap { Int($0) })
    #expect((0...whole.count).contains(byte))
  }

  @Test func `a page with too many records is to be sent in smaller portions`() throws {
    var limits = ServerLimits()
    limits.authority.transport.pageRecords = 2
    let desk = try Desk(limits: limits)
    let zone = try desk.open().zone
    let page = desk.page(1, to: zone, (0..<3).map { Fact.note("\($0)", "x") })

    let answer = desk.ask(.send(zone: zone.rawValue), page.encode())

    #expect(answer.status == 413)
    #expect(try answer.json["remedy"]?.string == "split")
  }
}
