import StrandlineModels

/// Who makes a transaction, as history will tell it.
package struct TransactionAuthor: Sendable {
  /// Where the changes came from.
  package enum Origin: Sendable, Equatable {
    /// A Strandline process.
    case local
    /// Another SQLite client.
    case external
    /// The import from a peer.
    case peer(Int64)

    package var number: Int64 {
      switch self {
      case .local: 0
      case .external: -1
      case .peer(let id): id
      }
    }
  }

  package var origin: Origin
  package var author: String?
  package var context: String?

  package init(origin: Origin = .local, author: String? = nil, context: String? = nil) {
    self.origin = origin
    self.author = author
    self.context = context
  }
}

/// The beginning and the end that all write transactions of Strandline share.
///
/// Whatever another SQLite client wrote since the last one is sealed into a transaction of its
/// own before anything else happens, and the clock is lifted over its stamps.
struct TransactionFrame {
  let connection: Connection
  let wall: WallClock
  /// A random number that is this process's alone, to tell its transactions from another's.
  let process: Int64

  /// What holds at the beginning of a transaction.
  struct Start {
    let head: Int64
    let clock: HybridClock
  }

  func begin() throws -> Start {
    try connection.execute("BEGIN IMMEDIATE")
    return try start()
  }

  /// Begins a transaction of history inside one of SQLite's that is open already.
  func start() throws -> Start {
    let row = try connection.first(
      """
      SELECT (SELECT max(sequence) FROM strandline_log),
        (SELECT last FROM strandline_transaction ORDER BY id DESC LIMIT 1), seen, salt
      FROM strandline_clock
      """
    ) { ($0.integer(0), $0.integer(1), $0.stamp(2), UInt16(truncatingIfNeeded: $0.integer(3))) }
    guard let (logged, sealed, seen, salt) = row else {
      throw StorageError(
        .damaged, "Could not begin a transaction, the store has no clock.",
        advice: "Restore the file from a backup, or sync into a new store.")
    }
    var clock = HybridClock(seen: seen, salt: salt)
    if logged > sealed { try seal(after: sealed, upTo: logged, &clock) }
    return Start(head: max(logged, sealed), clock: clock)
  }

  private func seal(after sealed: Int64, upTo head: Int64, _ clock: inout HybridClock) throws {
    let greatest = try connection.integer(
      "SELECT max(stamp) FROM strandline_log WHERE sequence > ?", [.integer(sealed)])
    clock.observe(Stamp(rawValue: greatest))
    try connection.run(
      "UPDATE strandline_clock SET seen = ?", [.integer(clock.seen.rawValue)])
    try record(first: sealed + 1, last: head, TransactionAuthor(origin: .external))
  }

  /// Writes the transaction's row, if it changed anything.
  ///
  /// - Returns: The last sequence of the transaction; nil where it changed nothing.
  func record(from start: Start, _ author: TransactionAuthor) throws -> Int64? {
    let head = try connection.integer("SELECT max(sequence) FROM strandline_log")
    guard head > start.head else { return nil }
    try record(first: start.head + 1, last: head, author)
    return head
  }

  private func record(first: Int64, last: Int64, _ author: TransactionAuthor) throws {
    try connection.run(
      """
      INSERT INTO strandline_transaction(first, last, token, origin, process, author, context, time)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(first), .integer(last), .integer(Int64.random(in: .min ... .max)),
        .integer(author.origin.number), .integer(process), author.author.map(Value.text) ?? .null,
        author.context.map(Value.text) ?? .null, .integer(wall.milliseconds),
      ])
  }

  func commit() throws {
    do {
      try connection.execute("COMMIT")
    } catch {
      guard error.code == .constraint else { throw error }
      throw StorageError(
        .constraint,
        "Could not save, a relationship points at a record that is not in the store.",
        advice: "Insert that record in the same transaction, or set the relationship to null.",
        context: error.context, cause: error)
    }
  }

  /// Undoes what is not committed; after some errors SQLite has done so already.
  func rollback() {
    guard connection.isInTransaction else { return }
    // Nothing can be done about a rollback that fails: closing the connection rolls back too.
    _ = try? connection.execute("ROLLBACK")
  }
}
