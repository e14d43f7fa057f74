import StrandlineModels

/// Gives one write transaction its stamp, and the store's clock what the transaction used.
///
/// The stamp is written to the clock's row only when the first change is made, so that
/// transactions that change no record cost nothing more.
final class TransactionClock {
  private let connection: Connection
  private let wall: WallClock
  private let head: Int64
  private var hybrid: HybridClock
  private var hasBegun = false

  /// - Parameters:
  ///   - connection: The connection on which the transaction is open.
  ///   - wall: The time of day.
  ///   - hybrid: The store's clock, lifted over all foreign stamps.
  ///   - head: The log's last sequence before the transaction.
  init(connection: Connection, wall: WallClock, hybrid: HybridClock, head: Int64) {
    self.connection = connection
    self.wall = wall
    self.hybrid = hybrid
    self.head = head
  }

  func begin() throws {
    guard connection.isInTransaction else { throw Self.ended }
    guard !hasBegun else { return }
    let stamp = hybrid.mint(now: wall.milliseconds)
    try connection.run("UPDATE strandline_clock SET own = ?", [.integer(stamp.rawValue)])
    hasBegun = true
  }

  /// After some failures, such as a full disk, SQLite has undone the whole transaction; what is
  /// changed after that would be committed by itself.
  static let ended = StorageError(
    .constraint, "Could not change the record, the transaction has been undone already.",
    advice: "Let the transaction throw what its last change threw, and run it again.")

  /// Makes a new version 7 UUID by the transaction's time.
  func newID() -> RecordID {
    RecordID(
      milliseconds: wall.milliseconds, random: .random(in: .min ... .max),
      more: .random(in: .min ... .max))
  }

  /// Ends the stamp's use; the clock is lifted to the greatest stamp that was used.
  func end() throws {
    guard connection.isInTransaction else { throw Self.ended }
    guard hasBegun else { return }
    try connection.run(
      """
      UPDATE strandline_clock SET own = 0, seeding = 0, seen = max(?1,
        (SELECT coalesce(max(stamp), 0) FROM strandline_log WHERE sequence > ?2))
      """, [.integer(hybrid.seen.rawValue), .integer(head)])
  }
}
