public import StrandlineModels
public import StrandlineStorage

/// A reference to a record that is not here: it has not arrived yet, or was deleted elsewhere.
///
/// It reads as nil, and as the record once that is here.
public struct OrphanItem: Hashable, Sendable {
  /// The entity of the record that refers.
  public let entity: String
  /// The record that refers.
  public let id: RecordID
  /// The name of the relationship.
  public let property: String
  /// The entity of the record that is not here.
  public let destination: String
  /// The id of the record that is not here; some other value where another program wrote that.
  public let missing: Value
}

extension Store {
  /// The references to records that are not here.
  public func orphanItems(limit: Int = 1000) async throws -> [OrphanItem] {
    try await read { transaction in
      try transaction.orphans(limit: limit).map {
        OrphanItem(
          entity: $0.entity, id: $0.id, property: $0.property, destination: $0.destination,
          missing: $0.missing)
      }
    }
  }
}
