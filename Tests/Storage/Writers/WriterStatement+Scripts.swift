import StrandlineModels
import StrandlineStorage

/// Transactions, ids that are made from values, and values of another type.
extension WriterStatement {
  private struct Undone: Error {}

  static let transactions = [
    WriterStatement(
      "savepoint that is released",
      "BEGIN; SAVEPOINT s; UPDATE TodoItem SET done = 1 WHERE id = 'a'; RELEASE s; COMMIT",
      own: { store in
        try await store.begin()
        try await store.step { try $0.update("TodoItem", id("a"), values: ["done": .integer(1)]) }
        try await store.commit()
      }),
    WriterStatement(
      "savepoint that is rolled back",
      """
      BEGIN; INSERT INTO TodoItem(id) VALUES ('c'); SAVEPOINT s; \
      UPDATE TodoItem SET done = 1; DELETE FROM TodoItem WHERE id = 'c'; ROLLBACK TO s; \
      UPDATE TodoItem SET note = 'n' WHERE id = 'c'; RELEASE s; COMMIT
      """,
      own: { store in
        try await store.begin()
        try await store.step { try $0.insert("TodoItem", id: id("c"), values: [:]) }
        do {
          try await store.step { write in
            for name in ["a", "b", "c"] {
              try write.update("TodoItem", id(name), values: ["done": .integer(1)])
            }
            try write.delete("TodoItem", id("c"))
            throw Undone()
          }
        } catch is Undone {}
        try await store.step { try $0.update("TodoItem", id("c"), values: ["note": .text("n")]) }
        try await store.commit()
      }),
    WriterStatement(
      "transaction that is rolled back",
      "BEGIN; REPLACE INTO TodoItem(id) VALUES ('a'); DELETE FROM TodoItem; ROLLBACK",
      own: { store in
        try await store.begin()
        try await store.step { try $0.delete("TodoItem", id("a")) }
        try await store.rollback()
      }),
    WriterStatement(
      "several statements in one transaction",
      """
      BEGIN; INSERT INTO TodoItem(id) VALUES ('c'); UPDATE TodoItem SET done = 1 WHERE id = 'a'; \
      DELETE FROM TodoItem WHERE id = 'b'; COMMIT
      """,
      inOne: {
        try $0.insert("TodoItem", id: id("c"), values: [:])
        try $0.update("TodoItem", id("a"), values: ["done": .integer(1)])
        try $0.delete("TodoItem", id("b"))
      }),
    WriterStatement(
      "delete and insert of one id in one transaction",
      """
      BEGIN; DELETE FROM TodoItem WHERE id = 'b'; \
      INSERT INTO TodoItem(id, name) VALUES ('b', 'again'); COMMIT
      """,
      inOne: {
        try $0.delete("TodoItem", id("b"))
        try $0.insert("TodoItem", id: id("b"), values: ["name": .text("again")])
      }),
    WriterStatement(
      "insert and delete of one id in one transaction",
      "BEGIN; INSERT INTO TodoItem(id) VALUES ('c'); DELETE FROM TodoItem WHERE id = 'c'; COMMIT",
      inOne: {
        try $0.insert("TodoItem", id: id("c"), values: [:])
        try $0.delete("TodoItem", id("c"))
      }),
    WriterStatement(
      "property that is written twice in one transaction",
      """
      BEGIN; UPDATE TodoItem SET done = 1 WHERE id = 'a'; \
      UPDATE TodoItem SET done = 0 WHERE id = 'a'; COMMIT
      """,
      inOne: {
        try $0.update("TodoItem", id("a"), values: ["done": .integer(1)])
        try $0.update("TodoItem", id("a"), values: ["done": .integer(0)])
      }),
  ]

  static let identities = [
    WriterStatement(
      "insert of a link",
      "INSERT INTO Tag_items(id, source, target) VALUES (CAST('t' || 'b' AS BLOB), 't', 'b')",
      inOne: { try $0.link("TodoItem", id("b"), "tags", to: id("t")) }),
    WriterStatement(
      "insert of a link with a wrong id",
      "INSERT INTO Tag_items(id, source, target) VALUES ('tb', 't', 'b')",
      inOne: {
        try $0.insert(
          "Tag_items", id: id("tb"), values: ["source": .text("t"), "target": .text("b")])
      }),
    WriterStatement(
      "delete of a link", "DELETE FROM Tag_items WHERE source = 't' AND target = 'a'",
      inOne: { try $0.unlink("TodoItem", id("a"), "tags", from: id("t")) }),
    WriterStatement(
      "insert with the id of its identity",
      "INSERT INTO Setting(id, key, value) VALUES ('size', 'size', 'big')",
      inOne: { try $0.insert("Setting", values: ["key": .text("size"), "value": .text("big")]) }),
    WriterStatement(
      "insert with another id than that of its identity",
      "INSERT INTO Setting(id, key) VALUES ('size', 'colour')",
      inOne: { try $0.insert("Setting", id: id("size"), values: ["key": .text("colour")]) }),
    WriterStatement(
      "update of an identity", "UPDATE Setting SET key = 'size' WHERE id = 'theme'",
      inOne: { try $0.update("Setting", id("theme"), values: ["key": .text("size")]) }),
    WriterStatement(
      "delete and insert of an identity in one transaction",
      """
      BEGIN; DELETE FROM Setting; \
      INSERT INTO Setting(id, key, value) VALUES ('theme', 'theme', 'light'); COMMIT
      """,
      inOne: {
        try $0.delete("Setting", id("theme"))
        try $0.insert("Setting", values: ["key": .text("theme"), "value": .text("light")])
      }),
  ]

  static let values = [
    WriterStatement(
      "C28: value that its column converts",
      "UPDATE TodoItem SET name = 7, priority = '5', done = 1.0, due = 1 WHERE id = 'a'"),
    WriterStatement(
      "C28: value that its column converts to what stands there",
      "UPDATE TodoItem SET priority = '4', done = 0.0 WHERE id = 'a'"),
    WriterStatement(
      "C28: value that its column cannot convert",
      "UPDATE TodoItem SET priority = 'many', name = x'61' WHERE id = 'a'",
      inOne: { try $0.update("TodoItem", id("a"), values: ["priority": .text("many")]) }),
    WriterStatement(
      "null in a required property", "UPDATE TodoItem SET name = NULL WHERE id = 'a'",
      inOne: { try $0.update("TodoItem", id("a"), values: ["name": .null]) }),
    WriterStatement(
      "text that differs in case only", "UPDATE TodoItem SET name = 'A' WHERE id = 'a'",
      inOne: { try $0.update("TodoItem", id("a"), values: ["name": .text("A")]) }),
  ]
}
