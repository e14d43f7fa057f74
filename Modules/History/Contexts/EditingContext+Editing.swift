public import StrandlineModels
import StrandlineStorage

extension EditingContext {
  /// Inserts a record in memory; properties that are not named get their defaults.
  ///
  /// Without an id, the record of an identity-keyed entity gets the id that its values make, and
  /// any other a new version 7 UUID. Whether the store has a record of that id by then is for
  /// the merge policy to decide in the save.
  ///
  /// - Returns: The id.
  /// - Throws: `unknownEntity`, `unknownProperty`, `wrongType`; `duplicateRecord` where the
  ///   context holds a record of that id.
  @discardableResult
  public func insert(
    _ entity: String, id: RecordID? = nil, values: [String: Value] = [:]
  ) throws -> RecordID {
    let layout = try store.catalog.layout(named: entity)
    let checked = try layout.checked(values)
    let id = id ?? layout.derivedID(from: checked) ?? newID()
    let identity = RecordIdentity(entity, id)
    guard var held = working[identity] else {
      working[identity] = WorkingRecord(
        inserting: identity, defaults: layout.defaults, values: checked)
      return id
    }
    guard held.shown == nil else {
      throw StorageError(
        .duplicateRecord, "Could not insert \(identity), the context holds that record.",
        advice: "Edit that record, or insert with another id.")
    }
    let all = layout.defaults.merging(checked) { _, given in given }
    if held.isGone {
      held = WorkingRecord(inserting: identity, defaults: layout.defaults, values: all)
    } else {
      held.insertAgain(all)
    }
    working[identity] = held
    return id
  }

  /// Edits some properties of a record in memory; what equals the value read is no edit.
  ///
  /// - Throws: `unknownEntity`, `unknownProperty`, `wrongType`; `unknownRecord` where the context
  ///   does not hold the record; `constraint` for a property that the id is made from.
  public func update(_ entity: String, _ id: RecordID, values: [String: Value]) throws {
    let layout = try store.catalog.layout(named: entity)
    let checked = try layout.checked(values)
    let identity = RecordIdentity(entity, id)
    guard var held = working[identity], let shown = held.shown else {
      throw Self.notHeld(identity, "edit")
    }
    if let name = layout.fixedProperties.first(where: { name in
      checked[name].map { $0 != shown[name] } ?? false
    }) {
      throw StorageError.fixedProperty(name, of: entity)
    }
    held.set(checked)
    working[identity] = held
  }

  /// Deletes a record in memory; the save deletes it in the store.
  ///
  /// - Throws: `unknownEntity`; `unknownRecord` where the context does not hold the record.
  public func delete(_ entity: String, _ id: RecordID) throws {
    _ = try store.catalog.layout(named: entity)
    let identity = RecordIdentity(entity, id)
    guard var held = working[identity], held.shown != nil else {
      throw Self.notHeld(identity, "delete")
    }
    held.delete()
    working[identity] = held
  }

  /// Links two records of a many-to-many relationship in memory; a link that is there stays.
  public func link(
    _ entity: String, _ id: RecordID, _ name: String, to other: RecordID
  ) async throws {
    let link = try link(entity, id, name, other)
    if try await record(link.entity, link.id) == nil {
      try insert(link.entity, id: link.id, values: link.values)
    }
  }

  /// Removes the link between two records in memory; a link that is not there is no error.
  public func unlink(
    _ entity: String, _ id: RecordID, _ name: String, from other: RecordID
  ) async throws {
    let link = try link(entity, id, name, other)
    if try await record(link.entity, link.id) != nil { try delete(link.entity, link.id) }
  }

  private func link(
    _ entity: String, _ id: RecordID, _ name: String, _ other: RecordID
  ) throws -> Record {
    let layout = try store.catalog.layout(named: entity)
    guard let link = layout.entity.toMany.first(where: { $0.name == name })?.link else {
      throw StorageError(
        .unknownProperty,
        "Could not link by '\(name)', \(entity) has no many-to-many relationship of that name.",
        advice: "Set a to-one relationship like any other property.")
    }
    let values = [link.ownColumn: id.value, link.otherColumn: other.value]
    let linkID = try store.catalog.layout(named: link.entity).derivedID(from: values)
    return Record(entity: link.entity, id: linkID ?? newID(), values: values)
  }

  private func newID() -> RecordID {
    RecordID(
      milliseconds: store.clock.milliseconds, random: .random(in: .min ... .max),
      more: .random(in: .min ... .max))
  }

  private static func notHeld(_ identity: RecordIdentity, _ verb: String) -> StorageError {
    StorageError(
      .unknownRecord, "Could not \(verb) \(identity), the context does not hold that record.",
      advice: "Fetch it through the context first.")
  }
}

extension EditingContext {
  /// Inserts a typed record in memory.
  public func insert<M: Model>(_ model: M) throws {
    try insert(M.entityName, id: model.id, values: Self.values(of: model))
  }

  /// Edits a typed record in memory: what the body changes, and nothing else, is an edit.
  ///
  /// - Throws: What the body throws; `unknownRecord` where the context does not hold the record.
  public func update<M: Model>(
    _ model: M.Type, _ id: RecordID, _ body: (inout M) throws -> Void
  ) throws {
    guard let before = try held(model, id) else {
      throw Self.notHeld(RecordIdentity(M.entityName, id), "edit")
    }
    var after = before
    try body(&after)
    try update(after, since: before)
  }

  /// Edits a typed record in memory, by what differs from the value that a form began with.
  ///
  /// What the store changed meanwhile in the other properties is not touched.
  public func update<M: Model>(_ model: M, since original: M) throws {
    let before = try Self.values(of: original)
    let edited = try Self.values(of: model).filter { before[$0.key] != $0.value }
    try update(M.entityName, model.id, values: edited)
  }

  /// Deletes a typed record in memory.
  public func delete<M: Model>(_ model: M) throws {
    try delete(M.entityName, model.id)
  }

  private static func values<M: Model>(of model: M) throws -> [String: Value] {
    let fields = try ModelEncoder.fields(of: model).filter { $0.name != "id" }
    return Dictionary(fields.map { ($0.name, $0.value) }) { _, last in last }
  }
}

extension StorageError {
  static func fixedProperty(_ name: String, of entity: String) -> StorageError {
    StorageError(
      .constraint, "Could not edit \(entity).\(name), the id is made from it.",
      advice: "Insert a new record and delete this one.")
  }
}

extension EntityLayout {
  /// The values as their columns store them.
  func checked(_ values: [String: Value]) throws -> [String: Value] {
    var checked: [String: Value] = [:]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      guard let column = column(named: name) else {
        throw StorageError.unknownProperty(name, of: entity.name)
      }
      checked[name] = try ValueCheck.stored(value, as: column.property, of: entity.name)
    }
    return checked
  }

  /// The values of a record of which nothing was ever written.
  var defaults: [String: Value] {
    Dictionary(columns.map { ($0.property.name, $0.property.defaultValue) }) { first, _ in first }
  }
}
