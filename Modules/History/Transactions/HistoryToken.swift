/// A place in one store's history, after some transaction.
public struct HistoryToken: Hashable, Sendable, Codable {
  /// The identity of the store that it belongs to.
  public let store: String
  /// The last log sequence of the transaction that it stands after; 0 is the beginning.
  public let sequence: Int64

  /// Names a place.
  public init(store: String, sequence: Int64) {
    self.store = store
    self.sequence = sequence
  }
}

extension HistoryToken: CustomStringConvertible {
  /// The sequence, which is what people type.
  public var description: String { String(sequence) }
}
