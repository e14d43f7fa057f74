public import StrandlineHistory
import StrandlineModels
public import StrandlineStorage

/// A consumer of history as a part of an app, such as an index that follows all changes.
///
/// It processes what is new each time that it is asked to; ``AppCoordinator`` does so when the app
/// becomes active, and ``run()`` whenever something changes.
@MainActor public final class HistoryFollower: AppRefreshable {
  /// The consumer's name.
  public let consumer: String
  /// Why the latest look failed; nil once one succeeds.
  public private(set) var lastError: (any Error)?

  private let store: Store
  private let process: @MainActor ([HistoryTransaction]) async throws -> Void
  private var turns = ReloadTurns()
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Follows history under a name.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - consumer: The name under which the place is saved.
  ///   - process: Takes the transactions, oldest first; the place is saved when it has returned.
  public init(
    _ store: Store, consumer: String,
    process: @escaping @MainActor ([HistoryTransaction]) async throws -> Void
  ) {
    self.store = store
    self.consumer = consumer
    self.process = process
  }

  /// Processes what there is, and then whatever comes, until the task is cancelled or the store
  /// closes.
  public func run() async {
    let changes = store.changes()
    await refresh()
    for await _ in changes {
      if Task.isCancelled { return }
      await refresh()
    }
  }

  /// Processes everything after the saved place.
  public func refresh() async {
    guard turns.ask(isForced: false) else {
      return await withCheckedContinuation { waiting.append($0) }
    }
    while turns.next() != nil {
      do {
        try await store.consumeAll(consumer, process)
        lastError = nil
      } catch is CancellationError {
        // Who asked is gone; the place stays.
      } catch {
        lastError = error
      }
    }
    let done = waiting
    waiting = []
    for continuation in done { continuation.resume() }
  }
}
