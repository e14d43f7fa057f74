import StrandlineModels
import StrandlineStorage
import Testing

/// Indexes, views, triggers and columns that a person made outlive a change of the model.
@Suite struct OwnObjectTests {
  private static let wide = ModelText.item(ModelText.name, ModelText.count)
  private static let narrow = ModelText.item(ModelText.name)
  private static let renamed = """
    "Entry": {"renamedFrom": "Item", "attributes": {
      "title": {"type": "text", "default": "", "renamedFrom": "name"},
      "count": {"type": "integer", "default": 0}}}
    """

  private let world: MigrationWorld

  init() throws {
    world = try MigrationWorld()
  }

  private func make(_ sql: String, _ entities: String = wide) async throws {
    let store = try await world.open(entities)
    try await store.write { try $0.insert("Item", values: ["name": .text("n")]) }
    try ForeignClient(world.path).script(sql)
  }

  private func kinds() throws -> [String: String] {
    let rows = try ForeignClient(world.path).run(
      "SELECT name, type FROM sqlite_schema WHERE name LIKE 'my\\_%' ESCAPE '\\'")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0].text ?? "", $0[1].text ?? "") })
  }

  @Test func `what does not use a removed property is made again`() async throws {
    try await make(
      """
      CREATE INDEX my_index ON Item(name);
      CREATE VIEW my_view AS SELECT id, name FROM Item;
      CREATE TABLE my_log(id);
      CREATE TRIGGER my_trigger AFTER UPDATE OF name ON Item
        BEGIN INSERT INTO my_log VALUES (new.id); END;
      CREATE TRIGGER my_other INSTEAD OF INSERT ON my_view
        BEGIN INSERT INTO Item(id, name) VALUES (new.id, new.name); END;
      """)

    let store = try await world.open(Self.narrow)

    #expect(
      try kinds() == [
        "my_index": "index", "my_view": "view", "my_log": "table", "my_trigger": "trigger",
        "my_other": "trigger",
      ])
    try ForeignClient(world.path).script(
      "INSERT INTO my_view(id, name) VALUES ('y', 'through the view')")
    try await store.write {
      try $0.update("Item", RecordID(text: "y"), values: ["name": .text("z")])
    }
    #expect(try ForeignClient(world.path).run("SELECT * FROM my_log") == [[.text("y")]])
  }

  @Test func `what uses a removed property is put away, named, and comes back with it`()
    async throws
  {
    try await make(
      """
      CREATE INDEX my_index ON Item(count, name);
      CREATE VIEW my_view AS SELECT name, count FROM Item;
      CREATE TRIGGER my_trigger AFTER INSERT ON Item
        BEGIN UPDATE Item SET count = 5 WHERE id = new.id; END;
      CREATE TRIGGER my_late AFTER UPDATE OF count ON Item BEGIN SELECT new.count; END;
      """)

    let narrow = try await world.open(Self.narrow)

    // A trigger on the updates of a property that is gone cannot run, and harms nothing.
    #expect(try kinds() == ["my_late": "trigger"])
    try await narrow.write { try $0.insert("Item", id: RecordID(text: "y"), values: [:]) }
    let finding = try await narrow.checkup().first { $0.name == "ownObjects" }
    #expect(finding?.level == .warning)
    for name in ["index my_index", "view my_view", "trigger my_trigger"] {
      #expect(finding?.message.contains(name) == true)
    }

    let wide = try await world.open(Self.wide)
    #expect(
      try kinds() == [
        "my_index": "index", "my_view": "view", "my_trigger": "trigger", "my_late": "trigger",
      ])
    #expect(try await wide.checkup().first { $0.name == "ownObjects" }?.level == .ok)
    try await wide.write { try $0.insert("Item", id: RecordID(text: "z"), values: [:]) }
    #expect(
      try await wide.read { try $0.record("Item", RecordID(text: "z"))?["count"] } == .integer(5))
  }

  @Test func `what uses a renamed property goes on with its new name`() async throws {
    try await make(
      """
      CREATE INDEX my_index ON Item(name);
      CREATE VIEW my_view AS SELECT name FROM Item;
      """)

    _ = try await world.open(Self.renamed)

    #expect(try kinds() == ["my_index": "index", "my_view": "view"])
    #expect(try ForeignClient(world.path).run("SELECT * FROM my_view") == [[.text("n")]])
  }

  @Test func `a view that was broken before does not stop a renaming`() async throws {
    try await make(
      """
      CREATE VIEW my_view AS SELECT something FROM nowhere;
      CREATE INDEX my_index ON Item(count);
      """)

    let store = try await world.open(Self.renamed)

    #expect(try await store.read { try $0.count(Query("Entry")) } == 1)
    let finding = try await store.checkup().first { $0.name == "ownObjects" }
    #expect(finding?.message.contains("view my_view") == true)
  }

  @Test func `a person's trigger does not act on the moving of values`() async throws {
    try await make(
      """
      CREATE TABLE my_log(id);
      CREATE TRIGGER my_trigger AFTER UPDATE ON Item BEGIN INSERT INTO my_log VALUES (1); END;
      """, Self.wide)
    _ = try await world.open(Self.narrow)
    _ = try await world.open(Self.wide)

    #expect(try ForeignClient(world.path).run("SELECT * FROM my_log") == [])
    #expect(try kinds()["my_trigger"] == "trigger")
  }

  @Test func `a person's own column outlives a rebuilt table`() async throws {
    try await make(
      "ALTER TABLE Item ADD COLUMN mine TEXT DEFAULT 'd'; UPDATE Item SET mine = 'kept'")

    _ = try await world.open(
      ModelText.item(ModelText.name, "\"count\": {\"type\": \"integer\", \"default\": 9}"))

    let client = try ForeignClient(world.path)
    #expect(try client.run("SELECT mine FROM Item") == [[.text("kept")]])
    try client.run("INSERT INTO Item(id) VALUES ('y')")
    #expect(
      try client.run("SELECT mine, count FROM Item WHERE id = 'y'") == [[.text("d"), .integer(9)]])
  }

  @Test(arguments: [
    ("CREATE TABLE New(x)", ", \"New\": {}", "a table that is not Strandline's has the name New"),
    (
      "CREATE VIEW new AS SELECT 1", ", \"New\": {}",
      "a view that is not Strandline's has the name New"
    ),
  ])
  func `a model that needs a taken name is refused and changes nothing`(
    sql: String, more: String, words: String
  ) async throws {
    try await make(sql)
    let before = try Fixture.dump(world.path)

    let error = await #expect(throws: StorageError.self) {
      _ = try await world.open(Self.wide + more)
    }

    #expect(error?.code == .nameTaken)
    #expect(error?.message.contains(words) == true)
    #expect(try Fixture.dump(world.path) == before)
  }

  @Test func `a property that needs the name of a person's column is refused`() async throws {
    try await make("ALTER TABLE Item ADD COLUMN data TEXT")
    let before = try Fixture.dump(world.path)

    let error = await #expect(throws: StorageError.self) {
      _ = try await world.open(ModelText.item(ModelText.name, ModelText.count, ModelText.data))
    }

    #expect(error?.code == .nameTaken)
    #expect(error?.message.contains("the name Item.data") == true)
    #expect(try Fixture.dump(world.path) == before)
  }
}
