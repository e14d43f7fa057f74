import StrandlineModels
import StrandlineStorage
import Testing

/// Whatever another SQLite client does is recorded exactly.
@Suite struct CaptureTests {
  private static let columns: Set = ["name", "done", "note", "priority", "due", "list"]

  @Test(arguments: ForeignSetting.all)
  func `an insert is recorded`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      INSERT INTO TodoItem(id, name) VALUES ('c', 'milk'), ('d', 'bread');
      INSERT INTO TodoItem(id, name) SELECT 'e' || id, name FROM TodoItem WHERE id = 'd';
      """)

    try await world.expect(["c", "d", "ed"].map { .insert("TodoItem", $0) })
  }

  @Test(arguments: ForeignSetting.all)
  func `an insert without id gets an id of sixteen bytes`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("INSERT INTO TodoItem(name) VALUES ('milk')")

    let found = try await world.store.read {
      try $0.records(Query("TodoItem", where: "name = 'milk'")).map(\.id)
    }
    let id = try #require(found.first)
    #expect(id.bytes.count == 16)
    try await world.expect([LoggedChange(entity: "TodoItem", id: id, kind: .insert)])
  }

  @Test(arguments: ForeignSetting.all)
  func `an update records just the properties that it changes`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      "UPDATE TodoItem SET name = 'oat milk', priority = 4, note = '' WHERE id = 'a'")

    try await world.expect([.update("TodoItem", "a", ["name", "note"])])
  }

  @Test(arguments: ForeignSetting.all)
  func `an update that changes nothing is not recorded`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      UPDATE TodoItem SET name = name, priority = 4, list = 'l' WHERE id = 'a';
      UPDATE TodoItem SET done = 1 WHERE id = 'nobody';
      """)

    try await world.expect([])
  }

  @Test(arguments: ForeignSetting.all)
  func `a bulk update is recorded record by record`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("UPDATE TodoItem SET done = 1, priority = 5")

    try await world.expect([
      .update("TodoItem", "a", ["done", "priority"]), .update("TodoItem", "b", ["done"]),
    ])
  }

  @Test(arguments: ForeignSetting.all)
  func `a delete is recorded`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("DELETE FROM TodoItem WHERE id = 'b'")

    try await world.expect([.delete("TodoItem", "b")])
  }

  @Test(arguments: ForeignSetting.all)
  func `a delete without condition is recorded record by record`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("DELETE FROM Tag_items; DELETE FROM TodoItem;")

    try await world.expect([
      LoggedChange(entity: "Tag_items", id: CaptureWorld.link, kind: .delete),
      .delete("TodoItem", "a"), .delete("TodoItem", "b"),
    ])
  }

  @Test(arguments: ForeignSetting.all)
  func `C29: insert or replace writes all columns, or is a delete and an insert`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      INSERT OR REPLACE INTO TodoItem(id, name, list) VALUES ('b', 'bread', 'l');
      REPLACE INTO TodoItem(id, name) VALUES ('c', 'milk');
      """)

    let replaced: [LoggedChange] =
      setting.recursiveTriggers
      ? [.delete("TodoItem", "b"), .insert("TodoItem", "b")]
      : [.update("TodoItem", "b", Self.columns)]
    try await world.expect(replaced + [.insert("TodoItem", "c")])
    #expect(try await world.value("TodoItem", "b", "priority") == .integer(0))
  }

  @Test(arguments: ForeignSetting.all)
  func `an upsert is recorded as what it does`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      INSERT INTO TodoItem(id, name, priority) VALUES ('a', 'a', 9), ('c', 'c', 1)
        ON CONFLICT(id) DO UPDATE SET name = excluded.name, priority = excluded.priority;
      INSERT INTO TodoItem(id, name) VALUES ('a', 'z') ON CONFLICT DO NOTHING;
      INSERT OR IGNORE INTO TodoItem(id, name) VALUES ('b', 'z');
      """)

    try await world.expect([.update("TodoItem", "a", ["priority"]), .insert("TodoItem", "c")])
    #expect(try await world.value("TodoItem", "b", "name") == .text("b"))
  }

  @Test(arguments: ForeignSetting.all)
  func `update or replace is recorded as an update`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run("UPDATE OR REPLACE TodoItem SET name = 'b' WHERE id = 'a'")

    try await world.expect([.update("TodoItem", "a", ["name"])])
  }

  @Test(arguments: ForeignSetting.all)
  func `a delete and an insert of one id begin another life`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      BEGIN;
      DELETE FROM TodoItem WHERE id = 'b';
      INSERT INTO TodoItem(id, name) VALUES ('b', 'again');
      COMMIT;
      """)

    try await world.expect([.delete("TodoItem", "b"), .insert("TodoItem", "b")])
  }

  @Test(arguments: ForeignSetting.all)
  func `what a savepoint undoes is not recorded`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      BEGIN;
      INSERT INTO TodoItem(id) VALUES ('c');
      SAVEPOINT s;
      UPDATE TodoItem SET name = 'z';
      DELETE FROM TodoItem WHERE id = 'c';
      ROLLBACK TO s;
      UPDATE TodoItem SET note = 'n' WHERE id = 'c';
      RELEASE s;
      COMMIT;
      """)

    try await world.expect([.insert("TodoItem", "c"), .update("TodoItem", "c", ["note"])])
  }

  @Test(arguments: ForeignSetting.all)
  func `a transaction that is rolled back leaves no trace`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)

    try await world.run(
      """
      BEGIN;
      INSERT INTO TodoItem(id) VALUES ('c');
      REPLACE INTO TodoItem(id) VALUES ('a');
      DELETE FROM TodoItem;
      ROLLBACK;
      """)

    try await world.expect([])
  }
}
