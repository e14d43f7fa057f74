public import StrandlineStorage
import Synchronization

/// A consistent view of a store that stays as it is until it is moved on.
///
/// Read from it as often as is needed: whatever is saved or imported meanwhile, each read sees
/// the same snapshot. It blocks no writer. It does keep the store's write-ahead log from being
/// used again from its start, so that the file beside the store grows with everything that is
/// written while a generation is held: close it, or advance it from time to time.
///
/// ```swift
/// let generation = try await store.generation()
/// let before = try await generation.read { try $0.count(Query("TodoItem")) }
/// let token = try await generation.advance()
/// ```
public final class Generation: Sendable {
  /// The store whose snapshot it is.
  public let store: Store
  private let reader: PinnedReader
  private let sequence: Mutex<Int64>

  fileprivate init(_ store: Store, _ reader: PinnedReader, at sequence: Int64) {
    self.store = store
    self.reader = reader
    self.sequence = Mutex(sequence)
  }

  /// The place in history up to which the snapshot is true.
  ///
  /// Rows that another SQLite client wrote count, whether or not a transaction has them yet.
  public var token: HistoryToken {
    HistoryToken(store: store.id, sequence: sequence.withLock(\.self))
  }

  /// Runs reads on the snapshot.
  ///
  /// - Throws: What the body throws; `generationEnded` after ``close()`` or a failed advance.
  public func read<T: Sendable>(
    _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    try await reader.read(body)
  }

  /// Moves to the newest state of the store.
  ///
  /// What was read before is not refreshed by itself: read it again, or let an
  /// ``EditingContext`` do so.
  ///
  /// - Returns: The place that it moved to.
  /// - Throws: `generationEnded` after ``close()``; `cannotOpen`, `damaged`, `busy` and others
  ///   where the file cannot be read: no snapshot is held then, and another advance tries again.
  @discardableResult
  public func advance() async throws -> HistoryToken {
    let head = try await reader.pin()
    sequence.withLock { $0 = head }
    return HistoryToken(store: store.id, sequence: head)
  }

  /// Lets the snapshot go; it also goes with the last reference to the generation.
  public func close() async {
    await reader.release()
  }
}

extension Store {
  /// Pins the newest state of the store.
  ///
  /// - Throws: `tooManyGenerations`; close some. `cannotOpen` where the file is gone or another
  ///   stands in its place, `busy`, `damaged`.
  public func generation() async throws -> Generation {
    let reader = try pinnedReader()
    let head = try await reader.pin()
    return Generation(self, reader, at: head)
  }
}
