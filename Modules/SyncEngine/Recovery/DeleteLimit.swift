/// How many records one catch-up may delete here before the person is asked (C25).
///
/// Deletes are held where they are more than ``records`` and more than ``share`` of the records
/// that live. Both have to be exceeded: in a small store a person often deletes half of what is
/// there, and in a large one often hundreds of records; what wipes out most of a store of some size
/// is a mistake more often than a wish. Deletes that are made on this device are never held.
public struct DeleteLimit: Hashable, Sendable {
  /// So many deletes are always applied.
  public var records: Int
  /// Deletes of this share of all living records of synced entities are always applied, 0 to 1.
  public var share: Double

  /// Sets a limit.
  public init(records: Int, share: Double) {
    self.records = records
    self.share = share
  }

  /// More than 20 records, and more than half of those that live.
  public static let standard = DeleteLimit(records: 20, share: 0.5)

  /// Deletes from elsewhere are always applied.
  public static let none = DeleteLimit(records: .max, share: 1)

  /// Whether so many deletes are too many, given how many records live.
  func isExceeded(by deletes: Int, ofLiving living: () throws -> Int) rethrows -> Bool {
    guard deletes > records else { return false }
    return try Double(deletes) > share * Double(living())
  }
}
