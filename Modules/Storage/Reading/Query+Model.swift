public import Foundation
public import StrandlineModels

extension Query {
  /// Makes a query for the typed records for which a predicate holds.
  ///
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public init<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: String? = nil,
    limit: Int? = nil
  ) throws {
    self.init(M.entityName, orderBy: order, limit: limit)
    guard let predicate else { return }
    let translation = try PredicateTranslation(predicate)
    condition = translation.sql
    arguments = translation.arguments
  }
}

extension Catalog {
  /// Makes a typed value of a record.
  package func decode<M: Model>(_ model: M.Type, _ record: Record) throws -> M {
    var values = record.values
    values["id"] = record.id.value
    let layout = try layout(named: record.entity)
    let defaults = Dictionary(
      uniqueKeysWithValues: layout.columns.map { ($0.property.name, $0.property.defaultValue) })
    return try ModelDecoder.decode(model, values: values, defaults: defaults)
  }
}
