import StrandlineModels
import StrandlineStorage
import Testing

/// What would break the rules of ids is refused to every client, in words.
@Suite struct CaptureRefusalTests {
  private static let fixedID =
    "the id of a record cannot be changed: insert a new record and delete this one"

  @Test(arguments: ForeignSetting.all)
  func `a change of an id is refused`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.expectRefusal(
      of: "UPDATE TodoItem SET id = 'z' WHERE id = 'b'", saying: Self.fixedID)
    try await world.expectRefusal(
      of: "UPDATE OR REPLACE TodoItem SET id = 'a' WHERE id = 'b'", saying: Self.fixedID)
    try await world.expectRefusal(
      of: "UPDATE OR IGNORE TodoItem SET id = CAST(id AS BLOB) WHERE id = 'b'",
      saying: Self.fixedID)
  }

  @Test(arguments: ForeignSetting.all)
  func `an id that is null or a number is refused`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)

    try await world.expectRefusal(
      of: "INSERT INTO TodoItem(id, name) VALUES (NULL, 'x')",
      saying: "NOT NULL constraint failed: TodoItem.id")
    for id in ["7", "7.5"] {
      try await world.expectRefusal(
        of: "INSERT INTO TodoItem(id, name) VALUES (\(id), 'x')",
        saying: "an id is a blob or a text")
    }
  }

  @Test(arguments: ForeignSetting.all)
  func `the id of a link is checked`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)
    let words = "the id of a link is CAST(source || target AS BLOB)"

    try await world.expectRefusal(
      of: "INSERT INTO Tag_items(id, source, target) VALUES ('tb', 't', 'b')", saying: words)
    try await world.expectRefusal(
      of: "INSERT OR IGNORE INTO Tag_items(source, target) VALUES ('t', 'b')", saying: words)
    try await world.expectRefusal(
      of: "UPDATE Tag_items SET target = 'b'",
      saying: "source, target cannot be changed, the id is made from it")

    try await world.run(
      """
      INSERT INTO Tag_items(id, source, target) VALUES (CAST('t' || 'b' AS BLOB), 't', 'b')
      """)
    let id = RecordID.link(RecordID(text: "t"), RecordID(text: "b"))
    try await world.expect([LoggedChange(entity: "Tag_items", id: id, kind: .insert)])
  }

  @Test(arguments: ForeignSetting.all)
  func `the id of a link between binary ids keeps their zero bytes`(
    setting: ForeignSetting
  ) async throws {
    let world = try await CaptureWorld(setting)
    let tag = RecordID(bytes: [1] + Array(repeating: 0, count: 15))
    let item = RecordID(bytes: Array(repeating: 0, count: 15) + [0xFF])

    try await world.run(
      """
      INSERT INTO Tag(id) VALUES (x'\(Hexadecimal.text(tag.bytes))');
      INSERT INTO TodoItem(id) VALUES (x'\(Hexadecimal.text(item.bytes))');
      INSERT INTO Tag_items(id, source, target)
        SELECT CAST(t.id || i.id AS BLOB), t.id, i.id FROM Tag t, TodoItem i
        WHERE typeof(t.id) = 'blob' AND typeof(i.id) = 'blob';
      """)

    try await world.expect([
      LoggedChange(entity: "Tag", id: tag, kind: .insert),
      LoggedChange(entity: "TodoItem", id: item, kind: .insert),
      LoggedChange(entity: "Tag_items", id: .link(tag, item), kind: .insert),
    ])
  }

  @Test(arguments: ForeignSetting.all)
  func `the id of an identity is checked`(setting: ForeignSetting) async throws {
    let world = try await CaptureWorld(setting)
    let words = "the id of this record is the text of its identity: key"

    try await world.expectRefusal(
      of: "INSERT INTO Setting(id, key) VALUES ('theme', 'size')", saying: words)
    try await world.expectRefusal(
      of: "INSERT INTO Setting(key) VALUES ('size')", saying: words)

    try await world.run("INSERT INTO Setting(id, key) VALUES ('theme', 'theme')")
    try await world.expect([.insert("Setting", "theme")])
    #expect(
      try await world.setting.run("UPDATE Setting SET key = 'size'", on: world.store.path)?
        .contains("key cannot be changed, the id is made from it") == true)
  }
}
