import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

struct PeopleRequestTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
  }

  @Test func `the health needs no token and says that all is well`() throws {
    let answer = desk.ask(.health, secret: nil)

    #expect(answer.status == 200)
    #expect(try answer.json["status"]?.string == "ok")
  }

  @Test func `the account tells whose token was shown`() throws {
    desk.cabinet.addToken(
      "token-phone", account: "anna", device: "Phone", expiresAt: 4_000_000_000_000)

    let json = try desk.ask(.account, secret: "token-phone").json

    #expect(json["account"]?.string == "anna")
    #expect(json["token"]?["device"]?.string == "Phone")
    #expect(json["token"]?["expiresAt"]?.string == "2096-10-02T07:06:40.000Z")
    #expect(!json.text.contains("token-phone"))
  }

  @Test func `the limits are those that hold`() throws {
    let json = try desk.ask(.limits).json

    #expect(json["pageRecords"]?.integer == 2000)
    #expect(json["sendBytes"]?.integer == Int64(ServerLimits().sendBytes))
  }

  @Test func `the zones are those of the account`() throws {
    let zone = try desk.open(name: "todo").zone
    try desk.send(1, to: zone, Fact.note("a", "milk"))

    let zones = try #require(try desk.ask(.zones).json["zones"]?.elements)

    #expect(zones.count == 1)
    #expect(zones[0]["name"]?.string == "todo")
    #expect(zones[0]["zone"]?.string == zone.rawValue)
    #expect(zones[0]["sequence"]?.integer == 1)
  }

  @Test func `changes are listed page by page, and nobody is noted as their reader`() throws {
    let zone = try desk.open().zone
    for number in 0..<5 { try desk.send(1, to: zone, Fact.note("n\(number)", "text \(number)")) }
    let devices = desk.cabinet.use { $0.zones.devices(in: zone).map(\.info.name) }

    var (texts, after, rounds) = ([String](), "", 0)
    while rounds < 10 {
      rounds += 1
      let json = try desk.ask(
        .changes(zone: zone.rawValue), query: ["after": after, "limit": "2"]
      ).json
      texts += (json["changes"]?.elements ?? []).compactMap { $0["values"]?["text"]?.string }
      after = try #require(json["cursor"]?.string)
      if json["headReached"]?.bool == true { break }
    }

    #expect(texts == (0..<5).map { "text \($0)" })
    #expect(rounds == 3)
    #expect(desk.cabinet.use { $0.zones.devices(in: zone).map(\.info.name) } == devices)
  }

  @Test func `bytes stand as base64 and a death as what it ends`() throws {
    let zone = try desk.open().zone
    let stamp = Stamp(rawValue: 5)
    let key = RecordKey(entity: "Note", id: RecordID(text: "a"))
    let blob = RecordDelta(
      key: key, birth: stamp,
      versions: ["text": Version(life: stamp, stamp: stamp, value: .blob([0xFF, 0]))])
    try desk.send(1, to: zone, blob)
    let first = try desk.ask(.changes(zone: zone.rawValue)).json
    try desk.send(
      1, to: zone, RecordDelta(key: key, death: Death(life: stamp, stamp: Stamp(rawValue: 6))))
    let second = try desk.ask(
      .changes(zone: zone.rawValue), query: ["after": try #require(first["cursor"]?.string)]
    ).json

    let change = try #require(first["changes"]?.elements?.first)
    #expect(change["values"]?["text"]?["base64"]?.string == "/wA=")
    #expect(change["born"]?.integer == 5)
    #expect(second["changes"]?.elements?.first?["died"]?["life"]?.integer == 5)
  }

  @Test func `odd parameters are refused`() throws {
    let zone = try desk.open().zone
    let odd = [
      ["limit": "0"], ["limit": "-1"], ["limit": "2001"], ["limit": "many"], ["after": "xyz"],
      ["after": "abc"], ["after": String(repeating: "00", count: 5000)], ["after": "00"],
    ]
    for query in odd {
      let answer = desk.ask(.changes(zone: zone.rawValue), query: query)
      #expect(answer.status == 400, "\(query.description.prefix(40))")
    }
  }
}
