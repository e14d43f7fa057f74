public import StrandlineModels
import StrandlineStorage

/// Which record is meant: its entity, by its name in the model, and its id.
public struct RecordIdentity: Hashable, Sendable {
  /// The entity's name.
  public let entity: String
  /// The record's id.
  public let id: RecordID

  /// Names a record.
  public init(_ entity: String, _ id: RecordID) {
    self.entity = entity
    self.id = id
  }
}

extension RecordIdentity: CustomStringConvertible {
  /// The entity and the id.
  public var description: String { "\(entity) \(id)" }
}

extension RecordIdentity: Comparable {
  /// Orders by entity, then id.
  public static func < (left: RecordIdentity, right: RecordIdentity) -> Bool {
    left.entity != right.entity ? left.entity < right.entity : left.id < right.id
  }
}

extension Record {
  var identity: RecordIdentity { RecordIdentity(entity, id) }
}
