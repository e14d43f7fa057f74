import StrandlineModels
import StrandlineStorage

/// One kind of statement, in SQL and, where that has the means, through Strandline's own API.
///
/// The store holds the items `a` and `b` on the list `l`, the deleted item `d`, the tag `t` of
/// the item `a`, and the setting `theme`.
struct WriterStatement: Sendable {
  let name: String
  let sql: String
  /// The same by the API; nil where that has no such statement.
  let own: (@Sendable (Store) async throws -> Void)?

  init(
    _ name: String, _ sql: String, own: (@Sendable (Store) async throws -> Void)? = nil
  ) {
    self.name = name
    self.sql = sql
    self.own = own
  }

  /// A statement that the API has in one transaction.
  init(
    _ name: String, _ sql: String, inOne own: @escaping @Sendable (WriteTransaction) throws -> Void
  ) {
    self.init(name, sql, own: { try await $0.write(own) })
  }

  static let all = inserts + updates + deletes + replacements + transactions + identities + values

  static let fixedBlob = RecordID(bytes: Array(1...16))

  static func id(_ text: String) -> RecordID { RecordID(text: text) }
}

extension WriterStatement {
  private static let inserts = [
    WriterStatement(
      "insert", "INSERT INTO TodoItem(id, name) VALUES ('c', 'milk')",
      inOne: { try $0.insert("TodoItem", id: id("c"), values: ["name": .text("milk")]) }),
    WriterStatement(
      "insert without id", "INSERT INTO TodoItem(name) VALUES ('milk')",
      inOne: { try $0.insert("TodoItem", values: ["name": .text("milk")]) }),
    WriterStatement(
      "insert with a blob as id",
      "INSERT INTO TodoItem(id) VALUES (x'0102030405060708090a0b0c0d0e0f10')",
      inOne: { try $0.insert("TodoItem", id: fixedBlob, values: [:]) }),
    WriterStatement(
      "insert with a number as id", "INSERT INTO TodoItem(id) VALUES (7)"),
    WriterStatement(
      "insert with null as id", "INSERT INTO TodoItem(id) VALUES (NULL)"),
    WriterStatement(
      "insert of several rows",
      "INSERT INTO TodoItem(id, name) SELECT id || '2', name FROM TodoItem",
      inOne: { write in
        for name in ["a", "b"] {
          try write.insert("TodoItem", id: id(name + "2"), values: ["name": .text(name)])
        }
      }),
    WriterStatement(
      "insert of a dead id", "INSERT INTO TodoItem(id, name) VALUES ('d', 'again')",
      inOne: { try $0.insert("TodoItem", id: id("d"), values: ["name": .text("again")]) }),
    WriterStatement(
      "insert of a living id", "INSERT INTO TodoItem(id, name) VALUES ('a', 'again')",
      inOne: { try $0.insert("TodoItem", id: id("a"), values: ["name": .text("again")]) }),
  ]

  private static let updates = [
    WriterStatement(
      "update", "UPDATE TodoItem SET name = 'milk', priority = 4, note = '' WHERE id = 'a'",
      inOne: {
        try $0.update(
          "TodoItem", id("a"),
          values: ["name": .text("milk"), "priority": .integer(4), "note": .text("")])
      }),
    WriterStatement(
      "update that changes nothing", "UPDATE TodoItem SET name = 'a', list = 'l' WHERE id = 'a'",
      inOne: {
        try $0.update("TodoItem", id("a"), values: ["name": .text("a"), "list": .text("l")])
      }),
    WriterStatement(
      "update of no row", "UPDATE TodoItem SET name = 'x' WHERE id = 'nobody'",
      inOne: { try $0.update("TodoItem", id("nobody"), values: ["name": .text("x")]) }),
    WriterStatement(
      "update of all rows", "UPDATE TodoItem SET priority = 4",
      inOne: { write in
        for record in try write.records(Query("TodoItem")) {
          try write.update("TodoItem", record.id, values: ["priority": .integer(4)])
        }
      }),
    WriterStatement("update or replace", "UPDATE OR REPLACE TodoItem SET done = 1 WHERE id = 'a'"),
    WriterStatement("update or ignore", "UPDATE OR IGNORE TodoItem SET done = 1 WHERE id = 'a'"),
    WriterStatement("update of an id", "UPDATE TodoItem SET id = 'z' WHERE id = 'a'"),
    WriterStatement(
      "update of an id to a living one, or replace",
      "UPDATE OR REPLACE TodoItem SET id = 'b' WHERE id = 'a'"),
    WriterStatement(
      "update of a reference", "UPDATE TodoItem SET list = NULL WHERE id = 'a'",
      inOne: { try $0.update("TodoItem", id("a"), values: ["list": .null]) }),
    WriterStatement(
      "update to a dangling reference", "UPDATE TodoItem SET list = 'nowhere' WHERE id = 'a'",
      inOne: { try $0.update("TodoItem", id("a"), values: ["list": .text("nowhere")]) }),
  ]

  private static let deletes = [
    WriterStatement(
      "delete", "DELETE FROM TodoItem WHERE id = 'b'",
      inOne: { try $0.delete("TodoItem", id("b")) }),
    WriterStatement(
      "delete of no row", "DELETE FROM TodoItem WHERE id = 'd'",
      inOne: { try $0.delete("TodoItem", id("d")) }),
    WriterStatement(
      "delete without a condition", "DELETE FROM TodoItem",
      inOne: { write in
        for name in ["a", "b"] { try write.delete("TodoItem", id(name)) }
      }),
    WriterStatement(
      "delete with the rule nullify", "DELETE FROM TodoList WHERE id = 'l'",
      inOne: { try $0.delete("TodoList", id("l")) }),
    WriterStatement(
      "delete with the rule cascade", "DELETE FROM Tag WHERE id = 't'",
      inOne: { try $0.delete("Tag", id("t")) }),
  ]

  private static let replacements = [
    WriterStatement(
      "insert or replace of a living id",
      "INSERT OR REPLACE INTO TodoItem(id, name, list) VALUES ('b', 'bread', 'l')"),
    WriterStatement(
      "insert or replace of a dead id",
      "INSERT OR REPLACE INTO TodoItem(id, name) VALUES ('d', 'again')"),
    WriterStatement(
      "insert or replace of a fresh id",
      "INSERT OR REPLACE INTO TodoItem(id, name) VALUES ('c', 'milk')"),
    WriterStatement(
      "replace of a parent", "REPLACE INTO TodoList(id, title) VALUES ('l', 'Work')"),
    WriterStatement(
      "insert or ignore that is skipped",
      "INSERT OR IGNORE INTO TodoItem(id, name) VALUES ('a', 'x')"),
    WriterStatement(
      "insert or ignore that inserts",
      "INSERT OR IGNORE INTO TodoItem(id, name) VALUES ('c', 'milk')"),
    WriterStatement(
      "upsert that inserts",
      "INSERT INTO TodoItem(id, name) VALUES ('c', 'milk') "
        + "ON CONFLICT(id) DO UPDATE SET name = excluded.name"),
    WriterStatement(
      "upsert that updates",
      "INSERT INTO TodoItem(id, name, priority) VALUES ('a', 'milk', 4) "
        + "ON CONFLICT(id) DO UPDATE SET name = excluded.name, priority = excluded.priority"),
    WriterStatement(
      "upsert that does nothing",
      "INSERT INTO TodoItem(id, name) VALUES ('a', 'milk') ON CONFLICT DO NOTHING"),
  ]
}
