import StrandlineModels

/// Where a watched store is, and who watches it.
struct WatchedStore: Sendable {
  let path: String
  let isReadOnly: Bool
  let wall: WallClock
  /// The random number of the opening whose own transactions are no news.
  let process: Int64
  let pacing: WatchPacing
}

/// Looks for transactions that other processes committed, through a connection of its own.
///
/// What other SQLite clients wrote is sealed here, so that history shows it; while somebody
/// else holds the write lock that is put off.
final class OtherWriters {
  /// What a look found.
  struct Finding {
    /// Whether anybody committed anything since the last look.
    var isChanged = false
    /// Whether the store's lease may have been taken or given back.
    var isLeaseTouched = false
    /// The place in history up to which transactions are known now.
    var known: Int64
    /// The place after the last transaction of others that was not known yet.
    var external: Int64?

    /// The same, with a lease that may have been taken or given back.
    var withTouchedLease: Finding {
      var finding = self
      finding.isLeaseTouched = true
      return finding
    }
  }

  private struct Heads {
    let sealed: Int64
    let external: Int64?
    let logged: Int64
  }

  private let store: WatchedStore
  private var connection: Connection?
  /// SQLite's count of what other connections committed, at the last look.
  private var version: Int64?
  /// Whether the last look could not do all of its work.
  private var isUnfinished = false
  /// Up to where a store that cannot seal has told of unsealed rows.
  private var toldUnsealed: Int64 = 0

  init(_ store: WatchedStore) {
    self.store = store
  }

  /// Looks once; while nobody commits anything that costs one pragma.
  ///
  /// - Parameter known: The place in history up to which all transactions are known.
  /// - Returns: What was found.
  /// - Throws: Errors of SQLite, after which the next look does the work of this one.
  func look(after known: Int64) throws -> Finding {
    let connection = try openConnection()
    let present = try connection.integer("PRAGMA data_version")
    let isChanged = version != present
    guard isChanged || isUnfinished else { return Finding(known: known) }
    version = present
    isUnfinished = true
    var heads = try heads(connection, after: known)
    var isSealed = true
    if heads.logged > heads.sealed && !store.isReadOnly {
      isSealed = try seal(connection)
      if isSealed { heads = try self.heads(connection, after: known) }
    }
    isUnfinished = !isSealed
    var external = heads.external
    if store.isReadOnly, heads.logged > max(heads.sealed, toldUnsealed) {
      // History shows the rows only when a process that may write has sealed them, and this is
      // told then; but they are in the tables already.
      external = heads.logged
      toldUnsealed = heads.logged
    }
    return Finding(
      isChanged: isChanged, known: max(known, heads.sealed), external: external)
  }

  private func openConnection() throws -> Connection {
    if let connection { return connection }
    let made = try Connection(path: store.path, readOnly: store.isReadOnly)
    // It waits for no lock, and leaves checkpoints to the connection that owns them.
    try made.execute("PRAGMA busy_timeout = 0")
    if !store.isReadOnly {
      try made.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0")
    }
    connection = made
    return made
  }

  private func heads(_ connection: Connection, after known: Int64) throws -> Heads {
    let heads = try connection.first(
      """
      SELECT (SELECT last FROM strandline_transaction ORDER BY id DESC LIMIT 1),
        (SELECT max(last) FROM strandline_transaction
          WHERE last > ?1 AND (origin = \(TransactionAuthor.Origin.external.number)
            OR process <> ?2)),
        (SELECT max(sequence) FROM strandline_log)
      """, [.integer(known), .integer(store.process)]
    ) { Heads(sealed: $0.integer(0), external: $0.optionalInteger(1), logged: $0.integer(2)) }
    return heads ?? Heads(sealed: 0, external: nil, logged: 0)
  }

  /// Seals what other clients wrote; false while somebody else writes.
  private func seal(_ connection: Connection) throws -> Bool {
    let frame = TransactionFrame(
      connection: connection, wall: store.wall, process: store.process)
    do {
      _ = try frame.begin()
      try frame.commit()
      return true
    } catch let error as StorageError where error.code == .busy {
      frame.rollback()
      return false
    } catch {
      frame.rollback()
      throw error
    }
  }
}
