import Synchronization

/// A reason to look into the store's history: something was committed.
///
/// It is no claim about what a reader sees or how fresh that is. Several transactions of others
/// may cause one, a slow listener misses some, and what it names may be followed by more already.
/// Whoever must not miss anything reads history from a saved token.
public struct StoreChange: Hashable, Sendable {
  /// Where the changes came from.
  public enum Origin: Hashable, Sendable {
    /// This opening of the store saved.
    case local
    /// Another opening of the store saved or imported, or another SQLite client wrote.
    case external
    /// What a peer sent was imported by this opening of the store.
    case imported
  }

  /// The place in history after the transaction, or after the last of several of others.
  ///
  /// In a store that is open for reading only it may name rows of another SQLite client that
  /// history does not show yet; when it does, this is told again.
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
///
/// The store's file is watched for commits of others from the first listener to the last.
final class StoreChanges: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<StoreChange>.Continuation] = [:]
    /// Who wants to know of every commit, also of one that changes no record.
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var next = 0
    var watch: StoreWatch?
    /// Which watch may still report, since an ended one may be in the middle of a look.
    var watchNumber = 0
    /// The place up to which transactions of others are known, or were told.
    var known: Int64
    /// How many watches have not ended yet.
    var watchCount = 0
    var failure: (any Error)?
    var isFinished = false
  }

  private let state: Mutex<State>
  private let store: WatchedStore

  /// - Parameters:
  ///   - store: The store to watch.
  ///   - known: The place in history at which it was opened; the first listener is told of what
  ///     others committed since.
  init(_ store: WatchedStore, after known: Int64) {
    self.store = store
    state = Mutex(State(known: known))
  }

  /// Why the last look for commits of others failed, if it did.
  var failure: (any Error)? { state.withLock { $0.failure } }

  /// Whether a thread watches the store's file now.
  var isWatched: Bool { state.withLock { $0.watchCount > 0 } }

  func stream() -> AsyncStream<StoreChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: StoreChange.self, bufferingPolicy: .bufferingNewest(16))
    guard let id = register({ $0.listeners[$1] = continuation }) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  func observations() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    guard let id = register({ $0.observers[$1] = continuation }) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.forget(id) }
    return stream
  }

  private func register(_ add: (inout State, Int) -> Void) -> Int? {
    state.withLock { state in
      guard !state.isFinished else { return nil }
      state.next += 1
      add(&state, state.next)
      if state.watch == nil { startWatch(&state) }
      return state.next
    }
  }

  func post(_ change: StoreChange) {
    let present = state.withLock { Array($0.listeners.values) }
    for listener in present { listener.yield(change) }
    observe()
  }

  /// Tells of a commit that may have changed no record, or of a lease that was taken or given back.
  func observe() {
    let present = state.withLock { Array($0.observers.values) }
    for observer in present { observer.yield() }
  }

  /// Ends all streams and the watch; there are none from now on.
  func finish() {
    let (present, observers, watch) = state.withLock { state in
      defer { state.watch = nil }
      state.isFinished = true
      return (Array(state.listeners.values), Array(state.observers.values), state.watch)
    }
    // The streams' ends come back here, so they are told outside the lock.
    for listener in present { listener.finish() }
    for observer in observers { observer.finish() }
    withExtendedLifetime(watch) {}
  }

  private func forget(_ listener: Int) {
    state.withLock { state in
      state.listeners[listener] = nil
      state.observers[listener] = nil
      if state.listeners.isEmpty && state.observers.isEmpty { state.watch = nil }
    }
  }

  private func startWatch(_ state: inout State) {
    state.watchNumber += 1
    let number = state.watchNumber
    let report: StoreWatch.Report = { [weak self] in self?.take($0, from: number) ?? false }
    state.watch = StoreWatch(store, after: state.known, report) { [weak self] in
      self?.state.withLock { $0.watchCount -= 1 }
    }
    if state.watch != nil { state.watchCount += 1 }
  }

  /// Takes what a look found; false where nobody wants to know any more.
  private func take(_ result: Result<OtherWriters.Finding, any Error>, from watch: Int) -> Bool {
    let external = state.withLock { state -> (isWanted: Bool, sequence: Int64?) in
      guard state.watch != nil, state.watchNumber == watch else { return (false, nil) }
      switch result {
      case .success(let finding):
        state.known = finding.known
        state.failure = nil
        return (true, finding.external)
      case .failure(let error):
        // The store's own reads and writes meet the same error where somebody can act on it.
        state.failure = error
        return (true, nil)
      }
    }
    if let sequence = external.sequence {
      post(StoreChange(sequence: sequence, origin: .external))
    } else if external.isWanted, case .success(let finding) = result,
      finding.isChanged || finding.isLeaseTouched
    {
      observe()
    }
    return external.isWanted
  }
}
