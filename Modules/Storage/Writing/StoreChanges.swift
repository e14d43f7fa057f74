import Synchronization

/// That a transaction was committed: a reason to look into history, and no claim about it.
public struct StoreChange: Hashable, Sendable {
  /// Where the changes came from.
  public enum Origin: Hashable, Sendable {
    /// This process saved.
    case local
    /// Something outside this process saved.
    case external
    /// What a peer sent was imported.
    case imported
  }

  /// The place in history after the transaction.
  public let sequence: Int64
  /// Where the changes came from.
  public let origin: Origin
  /// The peer that an import came from.
  package let peer: Int64?

  package init(sequence: Int64, origin: TransactionAuthor.Origin) {
    self.sequence = sequence
    if case .peer(let id) = origin { peer = id } else { peer = nil }
    switch origin {
    case .local: self.origin = .local
    case .external: self.origin = .external
    case .peer: self.origin = .imported
    }
  }
}

/// Tells listeners of commits; a slow one loses wake-ups, never changes, since those are tables.
final class StoreChanges: Sendable {
  private let listeners = Mutex<[Int: AsyncStream<StoreChange>.Continuation]>([:])
  private let next = Atomic<Int>(0)

  func stream() -> AsyncStream<StoreChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StoreChange.self, bufferingPolicy: .bufferingNewest(16))
    let id = next.wrappingAdd(1, ordering: .relaxed).newValue
    listeners.withLock { $0[id] = continuation }
    continuation.onTermination = { [weak self] _ in
      _ = self?.listeners.withLock { $0.removeValue(forKey: id) }
    }
    return stream
  }

  func post(_ change: StoreChange) {
    let present = listeners.withLock { Array($0.values) }
    for listener in present { listener.yield(change) }
  }

  func finish() {
    let present = listeners.withLock { Array($0.values) }
    for listener in present { listener.finish() }
  }
}
