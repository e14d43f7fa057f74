import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineServer
import StrandlineTransport
import Testing

struct FullDiskTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
  }

  @Test func `while nothing can be written a send is refused and reads go on`() throws {
    let zone = try desk.open().zone
    try desk.send(1, to: zone, Fact.note("a", "milk"))
    desk.cabinet.isFull = true

    let page = desk.page(1, to: zone, [Fact.note("b", "bread")])
    let answer = desk.ask(.send(zone: zone.rawValue), page.encode())

    #expect(answer.status == 507)
    #expect(answer.headers["Retry-After"] == "30")
    #expect(try desk.open(2).zone == zone)
    #expect(try desk.fetch(2, from: zone).changes.count == 1)
    #expect(desk.ask(.changes(zone: zone.rawValue)).status == 200)
    #expect(desk.ask(.health, secret: nil).status == 507)
  }

  @Test func `a new zone or a new name needs space`() throws {
    _ = try desk.open()
    desk.cabinet.isFull = true

    #expect(throws: UnexpectedAnswer.self) { try desk.open(name: "other") }
    #expect(desk.cabinet.use { $0.zones.zones().count } == 1)
  }

  @Test func `the health is well again when there is space`() throws {
    let zone = try desk.open().zone
    desk.cabinet.isFull = true
    let page = desk.page(1, to: zone, [Fact.note("b", "bread")])
    #expect(desk.ask(.send(zone: zone.rawValue), page.encode()).status == 507)
    desk.server.tick()
    #expect(desk.ask(.health, secret: nil).status == 507)

    desk.cabinet.isFull = false
    desk.server.tick()

    #expect(desk.ask(.health, secret: nil).status == 200)
    #expect(desk.ask(.send(zone: zone.rawValue), page.encode()).status == 200)
  }
}
