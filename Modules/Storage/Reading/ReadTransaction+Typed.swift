public import Foundation
public import StrandlineModels

extension ReadTransaction {
  /// The typed record of that id, or nil where there is none.
  public func fetch<M: Model>(_ model: M.Type, id: RecordID) throws -> M? {
    try record(M.entityName, id).map { try decode(model, $0) }
  }

  /// The record that a to-one relationship refers to.
  ///
  /// - Returns: The record; nil where the relationship is nil, and where the record has not arrived
  ///   yet or is gone. The same call gives it once it arrives.
  public func fetch<M: Model>(_ reference: Reference<M>?) throws -> M? {
    try reference.flatMap { try fetch(M.self, id: $0.id) }
  }

  /// The typed records for which a predicate holds.
  ///
  /// - Parameters:
  ///   - model: The type.
  ///   - predicate: What must hold; nil takes all.
  ///   - order: What decides the order, the first first; none is the order of making.
  ///   - limit: The greatest number of records; nil takes all.
  /// - Returns: The records.
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public func fetch<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [],
    limit: Int? = nil
  ) throws -> [M] {
    let query = try Query(model, where: predicate, orderBy: order, limit: limit)
    var found: [M] = []
    try forEachRecord(query) { found.append(try decode(model, $0)) }
    return found
  }

  /// How many typed records there are for which a predicate holds.
  public func count<M: Model>(_ model: M.Type, where predicate: Predicate<M>? = nil) throws -> Int {
    try count(Query(model, where: predicate))
  }

  /// The typed records on the other side of a to-many relationship.
  ///
  /// - Parameters:
  ///   - model: The type of the other side.
  ///   - name: The relationship's name.
  ///   - record: The record on this side.
  /// - Returns: Those that are here; others appear when they arrive.
  /// - Throws: `unknownProperty` where the entity has no to-many relationship of that name.
  public func fetch<M: Model, Owner: Model>(
    _ model: M.Type, _ name: String, of record: Owner
  ) throws -> [M] {
    let owner = Record(entity: Owner.entityName, id: record.id, values: [:])
    return try related(owner, name).map { try decode(model, $0) }
  }

  func decode<M: Model>(_ model: M.Type, _ record: Record) throws -> M {
    var values = record.values
    values["id"] = record.id.value
    let layout = try catalog.layout(named: M.entityName)
    let defaults = Dictionary(
      uniqueKeysWithValues: layout.columns.map { ($0.property.name, $0.property.defaultValue) })
    return try ModelDecoder.decode(model, values: values, defaults: defaults)
  }
}

extension Query {
  /// A query for typed records.
  ///
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public init<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [],
    limit: Int? = nil
  ) throws {
    self.init(M.entityName, limit: limit)
    if let predicate {
      let translation = try PredicateTranslation(predicate)
      condition = translation.sql
      arguments = translation.arguments
    }
    if !order.isEmpty { self.order = try order.map { try $0.sql() }.joined(separator: ", ") }
  }
}
