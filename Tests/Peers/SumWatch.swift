import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import Synchronization

/// Looks at the sum of all accounts of a store from three sides at once: after each commit that
/// is told, in a loop of snapshot reads, and in a live query.
///
/// It looks until ``end()``, so what is seen is bounded by what happens and not by time.
final class SumWatch: Sendable {
  struct Seen {
    /// Sums that were never there.
    var wrong: [Int64] = []
    var commits = 0
    var reads = 0
    var liveResults = 0
  }

  private let store: Store
  private let expected: Int64
  private let seen = Mutex(Seen())
  private let isOver = Atomic(false)
  private let tasks = Mutex<[Task<Void, Never>]>([])

  init(_ store: Store, expected: Int64) {
    self.store = store
    self.expected = expected
  }

  /// Begins to look; commits after this are seen.
  func begin() async {
    let changes = store.changes()
    let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
    tasks.withLock { tasks in
      tasks = [
        Task { await self.followCommits(changes) }, Task { await self.readOn() },
        Task { await self.followQuery(hasBegun) },
      ]
    }
    for await _ in begun { break }
  }

  /// Ends the looking with a last look of each kind.
  func end() async -> Seen {
    isOver.store(true, ordering: .relaxed)
    store.close()
    for task in tasks.withLock(\.self) { await task.value }
    return seen.withLock(\.self)
  }

  private func followCommits(_ changes: AsyncStream<StoreChange>) async {
    for await _ in changes {
      note(await sum()) { $0.commits += 1 }
    }
  }

  private func readOn() async {
    repeat { note(await sum()) { $0.reads += 1 } } while !isOver.load(ordering: .relaxed)
  }

  private func followQuery(_ hasBegun: AsyncStream<Void>.Continuation) async {
    do {
      for try await result in store.live(Query("Account")) {
        let sum = result.records.reduce(Int64(0)) { sum, record in
          if case .integer(let balance) = record["balance"] { sum + balance } else { sum }
        }
        note(sum) { $0.liveResults += 1 }
        hasBegun.yield()
      }
    } catch {
      note(-1) { _ in }
    }
    hasBegun.finish()
  }

  /// The sum in a snapshot of its own; -1 where it cannot be read, which is wrong too.
  private func sum() async -> Int64 {
    do { return try await store.read { try $0.sum() } } catch { return -1 }
  }

  private func note(_ sum: Int64, _ count: (inout Seen) -> Void) {
    seen.withLock { seen in
      if sum != expected { seen.wrong.append(sum) }
      count(&seen)
    }
  }
}
