import Foundation
import Strandline
import StrandlineTestSupport
import Synchronization

/// A store object that shows the names of items that are not done, and tells of each reload.
@MainActor struct Names {
  let store: Store
  let view: AppStore<[String]>
  private let reloads: AsyncStream<[String]>
  /// How many fetches ran, and how many at the same time at most.
  let fetches = FetchCounter()

  init(
    _ store: Store, consumer: String? = nil,
    during: @escaping @Sendable (Int) throws -> Void = { _ in }
  ) {
    self.store = store
    let fetches = fetches
    view = AppStore(store, identifier: "names", consumer: consumer, initial: []) { reader in
      let number = fetches.enter()
      defer { fetches.leave() }
      let names = try reader.fetch(
        TodoItem.self, where: #Predicate { !$0.done }, orderBy: [.ascending(\.name)]
      ).map(\.name)
      try during(number)
      return names
    }
    let (reloads, reload) = AsyncStream.makeStream(of: [String].self)
    self.reloads = reloads
    view.hooks.afterReload = { reload.yield($0) }
  }

  static func open() async throws -> Names {
    Names(try await Store.open(.memory, schema: try SampleSchema.todo()))
  }

  /// Waits until a reload has shown these names.
  func wait(for names: [String]) async {
    for await shown in reloads where shown == names { return }
  }

  func add(_ name: String) async throws {
    try await store.write { try $0.save(TodoItem(name)) }
  }
}

/// Counts what runs, and how much of it at the same time.
final class FetchCounter: Sendable {
  private let state = Mutex((running: 0, all: 0, most: 0))

  var most: Int { state.withLock { $0.most } }
  var all: Int { state.withLock { $0.all } }

  func enter() -> Int {
    state.withLock { state in
      state.running += 1
      state.all += 1
      state.most = max(state.most, state.running)
      return state.all
    }
  }

  func leave() {
    state.withLock { $0.running -= 1 }
  }
}
