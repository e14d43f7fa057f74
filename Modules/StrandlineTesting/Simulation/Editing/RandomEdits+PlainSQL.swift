import Strandline

extension RandomEdits {
  /// Writes as another SQLite client does: a few statements, each by itself or in a transaction,
  /// which is rolled back now and then.
  ///
  /// - Returns: Whether the transaction was rolled back.
  func edit(
    _ client: RawClient, _ schema: Schema, _ random: inout SeededGenerator
  ) throws -> Bool {
    let isWhole = Bool.random(using: &random)
    let isUndone = isWhole && Int.random(in: 0..<4, using: &random) == 0
    let hasForeignKeys = Bool.random(using: &random)
    try client.execute(
      "PRAGMA foreign_keys = \(hasForeignKeys ? "ON" : "OFF"); PRAGMA recursive_triggers = "
        + "\(Bool.random(using: &random) ? "ON" : "OFF")")
    if isWhole { try client.execute("BEGIN IMMEDIATE") }
    for _ in 0..<Int.random(in: 1...4, using: &random) { try editOne(client, schema, &random) }
    if isWhole { try client.execute(isUndone ? "ROLLBACK" : "COMMIT") }
    return isUndone
  }

  private func editOne(
    _ client: RawClient, _ schema: Schema, _ random: inout SeededGenerator
  ) throws {
    guard let entity = entities(of: schema).randomElement(using: &random),
      let id = ids(of: entity).randomElement(using: &random)
    else { return }
    let table = "\"\(entity.name)\""
    let attributes = entity.properties.filter {
      $0.attributeType != nil && !entity.identity.contains($0.name)
    }
    guard let property = attributes.randomElement(using: &random),
      let value = Self.value(of: property, &random)
    else { return }
    let column = "\"\(property.name)\""
    let identity = identity(id, of: entity).sorted { $0.key < $1.key }
    let names = identity.map { ", \"\($0.key)\"" }.joined()
    let marks = identity.map { _ in ", ?" }.joined()
    let new = [id.value, value] + identity.map(\.value)
    switch Int.random(in: 0..<8, using: &random) {
    case 0: try client.rows("DELETE FROM \(table) WHERE id = ?", [id.value])
    case 1:
      try client.rows(
        "INSERT OR REPLACE INTO \(table)(id, \(column)\(names)) VALUES (?, ?\(marks))", new)
    case 2:
      try client.rows(
        "INSERT OR IGNORE INTO \(table)(id, \(column)\(names)) VALUES (?, ?\(marks))", new)
    case 3:
      try client.rows(
        "INSERT INTO \(table)(id, \(column)\(names)) VALUES (?, ?\(marks)) "
          + "ON CONFLICT(id) DO UPDATE SET \(column) = excluded.\(column)", new)
    case 4:
      try client.rows("DELETE FROM \(table) WHERE id = ?", [id.value])
      try client.rows(
        "INSERT INTO \(table)(id, \(column)\(names)) VALUES (?, ?\(marks))", new)
    default:
      try client.rows("UPDATE \(table) SET \(column) = ? WHERE id = ?", [value, id.value])
    }
  }
}
