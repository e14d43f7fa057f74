import StrandlineModels
import Synchronization

/// One read connection, on a queue of its own, that holds its snapshot between reads.
///
/// In a write-ahead log a reader blocks no writer. It does keep the log from beginning again at
/// its start, so that the log grows as long as the snapshot is held.
package actor PinnedReader {
  private let executor = QueueExecutor(label: "strandline.pinned")
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private let path: String
  private let store: String
  private let catalog: Catalog
  private var place: PinLimit.Place?
  private var connection: Connection?

  init(path: String, store: String, catalog: Catalog, place: PinLimit.Place) {
    self.path = path
    self.store = store
    self.catalog = catalog
    self.place = place
  }

  /// Takes the newest snapshot in the place of the one that is held, if any.
  ///
  /// - Returns: The log's last sequence in it.
  /// - Throws: What opening or reading the file throws; no snapshot is held then.
  package func pin() throws -> Int64 {
    guard place != nil else { throw StorageError.generationEnded }
    do {
      let connection = try self.connection ?? open()
      self.connection = connection
      if connection.isInTransaction { try connection.execute("ROLLBACK") }
      // BEGIN alone takes no snapshot, the first read does.
      try connection.execute("BEGIN")
      return try ReadTransaction(connection: connection, catalog: catalog).logHead()
    } catch {
      connection = nil
      throw error
    }
  }

  /// Runs reads on the snapshot that is held.
  package func read<T: Sendable>(_ body: @Sendable (ReadTransaction) throws -> T) throws -> T {
    guard let connection, connection.isInTransaction else { throw StorageError.generationEnded }
    return try body(ReadTransaction(connection: connection, catalog: catalog))
  }

  /// Lets the snapshot go, for good.
  package func release() {
    connection = nil
    place = nil
  }

  private func open() throws -> Connection {
    let connection = try Connection(path: path, readOnly: true)
    try connection.execute("PRAGMA query_only = ON")
    // The path may have got another file since the store was opened.
    let found = try connection.first(
      "SELECT value FROM strandline_meta WHERE key = 'store'"
    ) { $0.text(0) }
    guard found == store else {
      throw StorageError(
        .cannotOpen, "Could not pin a generation, another file stands at '\(path)' now.",
        advice: "Close the store and open it again.")
    }
    return connection
  }
}

/// How many snapshots may be held at once; each costs a connection and keeps the log growing.
final class PinLimit: Sendable {
  private static let limit = 64
  private let count = Mutex(0)

  /// One of the places; it is free again with its last reference.
  final class Place: Sendable {
    private let limit: PinLimit

    fileprivate init(_ limit: PinLimit) {
      self.limit = limit
    }

    deinit {
      limit.count.withLock { $0 -= 1 }
    }
  }

  func take() throws(StorageError) -> Place {
    let isTaken = count.withLock { count in
      guard count < Self.limit else { return false }
      count += 1
      return true
    }
    guard isTaken else {
      throw StorageError(
        .tooManyGenerations, "Could not pin a generation, \(Self.limit) are pinned already.",
        advice: "Close those that are not needed any more.")
    }
    return Place(self)
  }
}

extension StorageError.Code {
  /// The store holds as many generations as it may.
  public static let tooManyGenerations = StorageError.Code(rawValue: "tooManyGenerations")
  /// The generation was closed, or lost its snapshot.
  public static let generationEnded = StorageError.Code(rawValue: "generationEnded")
}

extension StorageError {
  static var generationEnded: StorageError {
    StorageError(
      .generationEnded, "Could not read the generation, it holds no snapshot any more.",
      advice: "Advance it, or pin another one if it was closed.")
  }
}
