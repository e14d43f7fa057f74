public import StrandlineModels

/// A transaction that changes records; it commits as a whole or not at all.
///
/// All its changes carry one stamp and stand in history as one transaction. It sees its own
/// changes. Like ``ReadTransaction`` it cannot leave its closure.
public final class WriteTransaction: ReadTransaction {
  private let clock: TransactionClock

  init(connection: Connection, catalog: Catalog, clock: TransactionClock) {
    self.clock = clock
    super.init(connection: connection, catalog: catalog)
  }

  /// Inserts a record with the values of some properties; the others get their defaults.
  ///
  /// Without an id, the record of an identity-keyed entity gets the id that its values make, and
  /// any other a new version 7 UUID.
  ///
  /// - Returns: The id.
  /// - Throws: `unknownEntity`, `unknownProperty`, `wrongType`, `duplicateRecord`, `constraint`.
  @discardableResult
  public func insert(
    _ entity: String, id: RecordID? = nil, values: [String: Value]
  ) throws -> RecordID {
    let layout = try catalog.layout(named: entity)
    let checked = try check(values, in: layout)
    let id = id ?? newID(in: layout, values)
    try clock.begin()
    do {
      try connection.run(
        Self.insertion(of: checked, in: layout), [id.value] + checked.map(\.value))
    } catch {
      throw isPrimaryKeyFailure(error) ? Self.duplicate(id, of: entity, error) : error
    }
    return id
  }

  /// Changes the values of some properties of a record; values that are the same stay untouched.
  ///
  /// - Throws: `unknownRecord`, `unknownEntity`, `unknownProperty`, `wrongType`, `constraint`.
  public func update(_ entity: String, _ id: RecordID, values: [String: Value]) throws {
    let layout = try catalog.layout(named: entity)
    let checked = try check(values, in: layout)
    guard let present = try record(entity, id) else {
      throw StorageError.unknownRecord(id, of: entity)
    }
    // Naming a column that does not change would check its foreign key again, and fail for a
    // reference to a record that has not arrived yet.
    let changed = checked.filter { present[$0.column.property.name] != $0.value }
    guard !changed.isEmpty else { return }
    try clock.begin()
    let sets = changed.map { "\($0.column.name) = ?" }.joined(separator: ", ")
    try connection.run(
      "UPDATE \(layout.table) SET \(sets) WHERE id = ?", changed.map(\.value) + [id.value])
  }

  /// Deletes a record, and what its delete rules say.
  ///
  /// - Throws: `unknownRecord`, `unknownEntity`.
  public func delete(_ entity: String, _ id: RecordID) throws {
    let layout = try catalog.layout(named: entity)
    try clock.begin()
    let count = try connection.run("DELETE FROM \(layout.table) WHERE id = ?", [id.value])
    guard count > 0 else { throw StorageError.unknownRecord(id, of: entity) }
  }

  /// Takes the transaction's stamp, before its first change.
  func beginChanges() throws {
    try clock.begin()
  }

  typealias CheckedValue = (column: EntityLayout.Column, value: Value)

  /// The values in the order of the columns, each of its column's type.
  func check(_ values: [String: Value], in layout: EntityLayout) throws -> [CheckedValue] {
    if let stranger = values.keys.filter({ layout.column(named: $0) == nil }).min() {
      throw StorageError.unknownProperty(stranger, of: layout.entity.name)
    }
    return try layout.columns.compactMap { column in
      guard let value = values[column.property.name] else { return nil }
      return (column, try ValueCheck.stored(value, as: column.property, of: layout.entity.name))
    }
  }

  private func newID(in layout: EntityLayout, _ values: [String: Value]) -> RecordID {
    layout.derivedID(from: values) ?? clock.newID()
  }

  /// A record with all its values has one text, which need not be put together each time.
  private static func insertion(of values: [CheckedValue], in layout: EntityLayout) -> String {
    if values.count == layout.columns.count { return layout.statements.insertRow }
    let names = values.map { ", " + $0.column.name }.joined()
    let marks = String(repeating: ", ?", count: values.count)
    return "INSERT INTO \(layout.table)(id\(names)) VALUES (?\(marks))"
  }

  private static func duplicate(
    _ id: RecordID, of entity: String, _ cause: StorageError
  ) -> StorageError {
    StorageError(
      .duplicateRecord, "Could not insert \(entity) \(id), a record with that id is there.",
      advice: "Edit that record, or insert with another id.", cause: cause)
  }

  private func isPrimaryKeyFailure(_ error: StorageError) -> Bool {
    // SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE.
    ["1555", "2067"].contains(error.context["sqlite"])
  }
}

extension WriteTransaction {
  /// Inserts records that every installation brings, without winning over anybody's edits.
  ///
  /// The entity must have an identity. A record that is there, or is known to have been deleted,
  /// stays as it is.
  ///
  /// - Returns: How many records were new.
  @discardableResult
  public func seed(_ entity: String, _ rows: [[String: Value]]) throws -> Int {
    let layout = try catalog.layout(named: entity)
    guard layout.isIdentityKeyed else {
      throw StorageError(
        .constraint, "Could not seed \(entity), it has no identity.",
        advice: "Name the properties that make its id in \"identity\".")
    }
    try clock.begin()
    try connection.run("UPDATE strandline_clock SET seeding = 1")
    do {
      let count = try insertNew(rows, in: layout)
      try connection.run("UPDATE strandline_clock SET seeding = 0")
      return count
    } catch {
      // The body may catch this and go on; what it writes then is no seed.
      try connection.run("UPDATE strandline_clock SET seeding = 0")
      throw error
    }
  }

  private func insertNew(_ rows: [[String: Value]], in layout: EntityLayout) throws -> Int {
    var count = 0
    for row in rows {
      let id = newID(in: layout, row)
      let known = try connection.integer(
        "SELECT count(*) FROM \(layout.shadow) WHERE id = ?", [id.value])
      if known > 0 { continue }
      try insert(layout.entity.name, id: id, values: row)
      count += 1
    }
    return count
  }

  /// Links two records of a many-to-many relationship; a link that is there stays.
  public func link(_ entity: String, _ id: RecordID, _ name: String, to other: RecordID) throws {
    let link = try manyToMany(name, of: entity)
    let values = [link.ownColumn: id.value, link.otherColumn: other.value]
    let layout = try catalog.layout(named: link.entity)
    if try record(link.entity, newID(in: layout, values)) == nil {
      try insert(link.entity, values: values)
    }
  }

  /// Removes the link between two records; a link that is not there is no error.
  public func unlink(_ entity: String, _ id: RecordID, _ name: String, from other: RecordID) throws
  {
    let link = try manyToMany(name, of: entity)
    let values = [link.ownColumn: id.value, link.otherColumn: other.value]
    let linkID = newID(in: try catalog.layout(named: link.entity), values)
    if try record(link.entity, linkID) != nil { try delete(link.entity, linkID) }
  }

  private func manyToMany(_ name: String, of entity: String) throws -> ToMany.Link {
    let layout = try catalog.layout(named: entity)
    guard let link = layout.entity.toMany.first(where: { $0.name == name })?.link else {
      throw StorageError(
        .unknownProperty,
        "Could not link by '\(name)', \(entity) has no many-to-many relationship of that name.",
        advice: "Set a to-one relationship like any other property.")
    }
    return link
  }
}
