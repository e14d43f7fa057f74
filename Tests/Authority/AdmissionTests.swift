import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct AdmissionTests {
  private func failure(_ body: () throws -> Void) -> TransportError? {
    do { try body() } catch { return error as? TransportError }
    return nil
  }

  private func birth(aheadBy milliseconds: Int64, of desk: Desk) -> RecordDelta {
    RecordDelta(
      key: Fact.key("a"), birth: Stamp(milliseconds: desk.clock.now + milliseconds, counter: 3))
  }

  @Test func `C15: a stamp beyond the bound is refused with the amount`() throws {
    var desk = try Desk()

    let error = failure { try desk.send(1, birth(aheadBy: 6 * 60_000, of: desk)) }

    #expect(error?.code == .clockSkew && error?.remedy == .fixClock)
    #expect(error?.message.contains("6 minutes ahead") == true)
    #expect(error?.context["aheadMilliseconds"] == "360000")
    #expect(desk.stored?.head == 0)
  }

  @Test func `C15: a stamp at the bound is taken`() throws {
    var desk = try Desk()

    #expect(try desk.send(1, birth(aheadBy: 5 * 60_000, of: desk)).acceptance != nil)
  }

  @Test func `C15: the life that an edit names is judged like its stamp`() throws {
    var desk = try Desk()
    let life = Stamp(milliseconds: desk.clock.now + 86_400_000)
    let edit = RecordDelta(
      key: Fact.key("a"),
      versions: ["p": Version(life: life, stamp: Fact.stamp(10), value: .null)])

    #expect(failure { try desk.send(1, edit) }?.code == .clockSkew)
  }

  @Test func `production refuses what was not deployed and names it`() throws {
    var desk = try Desk()
    let schema: [String: Set<String>] = ["Note": ["p", "q"]]
    let entity = failure { try desk.open(1, environment: .production, schema: schema) }
    try desk.authority.deploySchema()
    desk.zone = try desk.open(1, environment: .production, schema: schema).zone

    let property = failure { try desk.send(1, Fact.edit("a", "color", 1, at: 20, of: 10)) }

    #expect(entity?.code == .schemaRefused)
    #expect(entity?.message.contains("entity 'Note'") == true)
    #expect(property?.code == .schemaRefused && property?.remedy == .ask)
    #expect(property?.message.contains("property 'color' of entity 'Note'") == true)
    #expect(try desk.send(1, Fact.birth("a", 10, ["p": 1])).acceptance != nil)
  }

  @Test func `development learns from sends, and deploying makes that known`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.edit("a", "color", 1, at: 20, of: 10))
    try desk.authority.deploySchema()
    desk.zone = try desk.open(1, environment: .production, schema: [:]).zone

    #expect(throws: Never.self) { try desk.send(1, Fact.edit("a", "color", 1, at: 20, of: 10)) }
  }

  @Test func `stamps that nobody can have minted are refused record by record`() throws {
    var desk = try Desk()
    let deltas = [
      Fact.birth("birth", -5), Fact.delete("death", 0, at: 5),
      Fact.edit("edit", "p", 1, at: -1, of: 10), Fact.edit("life", "p", 1, at: 1, of: Int64.min),
    ]

    let answer = try desk.send(desk.page(1, deltas))

    #expect(answer.refused.map(\.key) == deltas.map(\.key))
    #expect(Set(answer.refused.map(\.code)) == ["invalidStamp"])
  }

  @Test func `requests that make no sense are errors and never more`() throws {
    var desk = try Desk()
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      var page = desk.page(2, [Fact.birth("a", 10)])
      let numbers: [Int] = [0, 1, 2, -1, .min, .max]
      let longs: [Int64] = [0, 1, -1, .min, .max]
      page.page = numbers.randomElement(using: &random) ?? 0
      page.group.recordCount = numbers.randomElement(using: &random) ?? 0
      page.group.base = longs.randomElement(using: &random) ?? 0
      page.group.sequence = longs.randomElement(using: &random) ?? 0
      page.isLast = Bool.random(using: &random)
      do { try desk.send(page) } catch {
        #expect(error.code == .invalidRequest || error.code == .tooLarge)
      }
    }
    #expect(failure { try desk.fetch(2, limit: 0) }?.code == .invalidRequest)
    #expect(failure { try desk.open(2, name: "") }?.code == .invalidRequest)
  }
}
