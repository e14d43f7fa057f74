import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// What must hold in every store is found where it does not.
@Suite struct InvariantTests {
  struct Damage: Sendable, CustomTestStringConvertible {
    let rule: BrokenInvariant.Rule
    let sql: String

    init(_ rule: BrokenInvariant.Rule, _ sql: String) {
      self.rule = rule
      self.sql = sql
    }

    var testDescription: String { "\(rule.rawValue): \(sql)" }
  }

  static let damages = [
    Damage(.lifeAndRow, "DELETE FROM TodoItem WHERE id = 'a'"),
    Damage(.lifeAndRow, "DELETE FROM strandline_shadow_TodoItem WHERE id = 'a'"),
    Damage(.lifeAndRow, "INSERT INTO TodoItem(id) VALUES ('d')"),
    Damage(.shadowForm, "UPDATE strandline_shadow_TodoItem SET stamp_name = born WHERE id = 'a'"),
    Damage(.shadowForm, "UPDATE strandline_shadow_TodoItem SET stamp_name = 'x' WHERE id = 'a'"),
    Damage(.shadowForm, "UPDATE strandline_shadow_TodoItem SET deleted = 0 WHERE id = 'd'"),
    Damage(.clock, "UPDATE strandline_clock SET seen = 5"),
    Damage(
      .clock, "UPDATE strandline_shadow_TodoItem SET stamp_name = born + (1 << 40) WHERE id = 'a'"),
    Damage(.ownStamp, "UPDATE strandline_clock SET own = 7"),
    Damage(.ownStamp, "UPDATE strandline_clock SET seeding = 1"),
    Damage(.transactions, "UPDATE strandline_transaction SET first = 1 WHERE first > 1"),
    Damage(.transactions, "DELETE FROM strandline_transaction WHERE first = 1"),
    Damage(.logForm, "UPDATE strandline_log SET kind = 9"),
    Damage(.logForm, "UPDATE strandline_log SET entity = 99"),
    Damage(.logForm, "UPDATE strandline_log SET properties = 0 WHERE kind = 2"),
    Damage(
      .unknownFields,
      "INSERT INTO strandline_unknown_value SELECT number, 'd', 'x', 7, 7 FROM strandline_entity "
        + "WHERE key = 'TodoItem'"),
    Damage(.unknownFields, "INSERT INTO strandline_unknown_value VALUES (99, 'a', 'x', 7, 7)"),
    Damage(.parked, "INSERT INTO strandline_parked VALUES (1, 'a', 0, 'x', 7, 7)"),
  ]

  /// A store with the living item `a`, which was edited, and the deleted item `d`.
  private func store() async throws -> Store {
    let store = try await Store.open(.memory, schema: SampleSchema.todo())
    let (a, d) = (RecordID(text: "a"), RecordID(text: "d"))
    try await store.write {
      for id in [a, d] { try $0.insert("TodoItem", id: id, values: [:]) }
    }
    try await store.write {
      try $0.update("TodoItem", a, values: ["name": .text("milk")])
      try $0.delete("TodoItem", d)
    }
    return store
  }

  @Test(arguments: damages)
  func `what breaks a rule is found by that rule`(damage: Damage) async throws {
    let store = try await store()
    let client = try ForeignClient(store.path)
    client.setTriggers(false)

    try client.run(damage.sql)

    let broken = try await store.read { try $0.brokenInvariants() }
    #expect(broken.contains { $0.rule == damage.rule }, "\(broken)")
  }

  @Test func `a sound store breaks no rule, also while rows of others are not sealed`()
    async throws
  {
    let store = try await store()
    let client = try ForeignClient(store.path)

    #expect(try await store.read { try $0.brokenInvariants() } == [])
    try client.script(
      "INSERT INTO TodoItem(id) VALUES ('b'); UPDATE TodoItem SET done = 1; DELETE FROM TodoItem")
    #expect(try await store.read { try $0.brokenInvariants() } == [])
    try await store.sealOtherClients()
    #expect(try await store.read { try $0.brokenInvariants() } == [])
  }

  @Test func `findings of one kind are limited, and what was checked is not told again`()
    async throws
  {
    let store = try await store()
    let client = try ForeignClient(store.path)
    client.setTriggers(false)
    try client.run("UPDATE strandline_log SET kind = 9")
    let head = try await store.read { try $0.logHead() }

    #expect(try await store.read { try $0.brokenInvariants(limit: 2) }.count == 2)
    #expect(try await store.read { try $0.brokenInvariants(afterLog: head) } == [])
  }
}
