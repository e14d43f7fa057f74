public import Foundation
public import StrandlineModels

extension WriteTransaction {
  /// Saves a typed record: inserts it, or changes what differs from the stored one.
  public func save<M: Model>(_ model: M) throws {
    let values = try values(of: model)
    if try record(M.entityName, model.id) == nil {
      try insert(M.entityName, id: model.id, values: values)
    } else {
      try update(M.entityName, model.id, values: values)
    }
  }

  /// Changes a typed record in place.
  ///
  /// ```swift
  /// try write.update(TodoItem.self, id) { $0.done.toggle() }
  /// ```
  ///
  /// - Returns: The record as it is now.
  /// - Throws: `unknownRecord`, and what the body throws.
  @discardableResult
  public func update<M: Model>(
    _ model: M.Type, _ id: RecordID, _ body: (inout M) throws -> Void
  ) throws -> M {
    guard var present = try fetch(model, id: id) else {
      throw StorageError.unknownRecord(id, of: M.entityName)
    }
    try body(&present)
    present.id = id
    try update(M.entityName, id, values: values(of: present))
    return present
  }

  /// Deletes a typed record, and what its delete rules say.
  ///
  /// - Throws: `unknownRecord`.
  public func delete<M: Model>(_ model: M) throws {
    try delete(M.entityName, model.id)
  }

  /// Links two typed records of a many-to-many relationship; a link that is there stays.
  public func link<M: Model>(_ model: M, _ name: String, to other: some Model) throws {
    try link(M.entityName, model.id, name, to: other.id)
  }

  /// Removes the link between two typed records; a link that is not there is no error.
  public func unlink<M: Model>(_ model: M, _ name: String, from other: some Model) throws {
    try unlink(M.entityName, model.id, name, from: other.id)
  }

  private func values<M: Model>(of model: M) throws -> [String: Value] {
    var values: [String: Value] = [:]
    let layout = try catalog.layout(named: M.entityName)
    for field in try ModelEncoder.fields(of: model) where field.name != "id" {
      guard layout.column(named: field.name) != nil else {
        throw StorageError.unknownProperty(field.name, of: M.entityName)
      }
      values[field.name] = field.value
    }
    return values
  }
}

/// A value for a property of many typed records.
public struct Assignment<M: Model>: Sendable {
  let name: String
  let value: Value

  /// Sets a property to a value.
  ///
  /// - Throws: `invalidQuery` where the key path leads to no property of a record.
  public static func set<Property: Encodable>(
    _ property: KeyPath<M, Property>, to value: Property
  ) throws -> Assignment {
    let name = try PropertyName.of(property)
    guard let stored = try Value(predicateValue: value) else {
      throw StorageError(
        .wrongType, "Could not set \(M.entityName).\(name), its value has no stored form.",
        advice: "Give a value that is Codable.")
    }
    return Assignment(name: name, value: stored)
  }
}

extension WriteTransaction {
  /// Sets properties of all typed records for which a predicate holds, in one statement.
  ///
  /// ```swift
  /// try write.updateAll(TodoItem.self, where: #Predicate { $0.done }, [.set(\.priority, to: 0)])
  /// ```
  ///
  /// Records that have the values already stay untouched, and so are not exported.
  ///
  /// - Returns: How many records changed.
  /// - Throws: `invalidQuery`, `wrongType`, `constraint`.
  @discardableResult
  public func updateAll<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, _ assignments: [Assignment<M>]
  ) throws -> Int {
    let values = Dictionary(assignments.map { ($0.name, $0.value) }) { _, last in last }
    return try updateAll(Query(model, where: predicate), values: values)
  }

  /// Deletes all typed records for which a predicate holds, and what their delete rules say.
  ///
  /// - Returns: How many records of this type were deleted, without those of the rules.
  /// - Throws: `invalidQuery`, `constraint`.
  @discardableResult
  public func deleteAll<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil
  ) throws -> Int {
    try deleteAll(Query(model, where: predicate))
  }
}
