public import Foundation
import StrandlineHistory
public import StrandlineModels
public import StrandlineStorage

/// Reads what an app shows, and remembers what that was.
///
/// An ``AppStore`` hands one to its closure of fetches. What is read through its methods is known to
/// be shown, so that only changes that touch it make the store object reload. It is useless once the
/// closure ends.
public final class ShownReader {
  /// The snapshot itself; what is read from it directly is not watched, see ``watch(_:)``.
  public let transaction: ReadTransaction
  private(set) var shown: [ShownRecords] = []
  private(set) var entities: Set<String> = []

  init(_ transaction: ReadTransaction) {
    self.transaction = transaction
  }

  /// Takes every change of an entity's records for one that touches what is shown.
  public func watch(_ entity: String) {
    entities.insert(entity)
  }

  // MARK: Records

  /// The records that a query names.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - properties: The properties that are shown; nil for all. Changes of the others are
  ///     irrelevant unless the query looks at them.
  /// - Returns: The records.
  /// - Throws: `unknownEntity`, `invalidQuery`.
  public func records(_ query: Query, showing properties: Set<String>? = nil) throws -> [Record] {
    let records = try transaction.records(query)
    note(query, records.map(\.id), properties)
    return records
  }

  /// How many records a query names; every change of the entity counts as one of the number.
  public func count(_ query: Query) throws -> Int {
    watch(query.entity)
    return try transaction.count(query)
  }

  // MARK: Typed records

  /// The typed records for which a predicate holds.
  public func fetch<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [],
    limit: Int? = nil
  ) throws -> [M] {
    try fetch(model, Query(model, where: predicate, orderBy: order, limit: limit))
  }

  /// The typed record of that id; nil where there is none, until it arrives.
  public func fetch<M: Model>(_ model: M.Type, id: RecordID) throws -> M? {
    note(Query(M.entityName, where: "id = ?", arguments: [id.value]), [id], nil)
    return try transaction.fetch(model, id: id)
  }

  /// The record that a to-one relationship refers to; nil until it arrives.
  public func fetch<M: Model>(_ reference: Reference<M>?) throws -> M? {
    try reference.flatMap { try fetch(M.self, id: $0.id) }
  }

  /// The typed records on the other side of a to-many relationship.
  public func fetch<M: Model, Owner: Model>(
    _ model: M.Type, _ name: String, of record: Owner
  ) throws -> [M] {
    let side = transaction.schema[Owner.entityName]?.toMany.first { $0.name == name }
    watch(M.entityName)
    if let link = side?.link { watch(link.entity) }
    return try transaction.fetch(model, name, of: record)
  }

  /// How many typed records there are for which a predicate holds.
  public func count<M: Model>(_ model: M.Type, where predicate: Predicate<M>? = nil) throws -> Int {
    try count(Query(model, where: predicate))
  }

  func fetch<M: Model>(_ model: M.Type, _ query: Query) throws -> [M] {
    try records(query).map { try transaction.catalog.decode(model, $0) }
  }

  private func note(_ query: Query, _ ids: [RecordID], _ properties: Set<String>?) {
    shown.append(ShownRecords(query, ids: Set(ids), properties: properties))
  }
}
