public import StrandlineModels

/// One committed transaction, as history tells it.
public struct HistoryTransaction: Hashable, Sendable {
  /// Where its changes came from.
  public enum Origin: Hashable, Sendable {
    /// This opening of the store.
    case thisProcess
    /// Another opening of the store by Strandline.
    case anotherProcess
    /// Another SQLite client, which tells nothing of itself.
    case anotherClient
    /// An import from the peer of that specification.
    case imported(from: String)
  }

  /// The place after it.
  public let token: HistoryToken
  /// Who made it, if that was told.
  public let author: String?
  /// What it was part of, if that was told.
  public let context: String?
  /// When it was committed, in milliseconds since 1970, by this device's clock.
  ///
  /// Changes of another SQLite client are noticed later than they are made.
  public let time: Int64
  /// Where its changes came from.
  public let origin: Origin
  /// Its changes in their order.
  ///
  /// None where an import brought only what waits for the insert that it belongs to, and where a
  /// peer was told of something that changed no record here.
  public let changes: [HistoryChange]
}

/// One change of one record.
public struct HistoryChange: Hashable, Sendable {
  /// What happened.
  public enum Kind: String, Hashable, Sendable {
    /// A life began.
    case insert
    /// Properties took new values.
    case update
    /// A life ended.
    case delete
  }

  /// The entity's name; its permanent key where the model does not have it.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// What happened.
  public let kind: Kind
  /// The names of the properties that were written; empty for a delete.
  ///
  /// Also empty for an update of fields that the model does not know.
  public let properties: [String]
  /// The change's stamp.
  public let stamp: Stamp
  /// The values that the change took away, by property, where the model asks to preserve them.
  ///
  /// A delete has those of all such properties, an update those that it replaced, and an insert
  /// those of a life that it took the place of.
  public let preserved: [String: Value]

  /// Describes a change.
  package init(
    entity: String, id: RecordID, kind: Kind, properties: [String], stamp: Stamp,
    preserved: [String: Value] = [:]
  ) {
    self.entity = entity
    self.id = id
    self.kind = kind
    self.properties = properties
    self.stamp = stamp
    self.preserved = preserved
  }
}
