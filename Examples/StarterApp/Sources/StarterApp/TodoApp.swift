import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineHTTPTransport

/// The app: its store with the peers that it follows, its one screen, and its coordinator.
@MainActor final class TodoApp {
  let synced: SyncedStore
  let todos: AppStore<[Todo]>
  let coordinator: AppCoordinator

  /// Opens the store in a folder, and follows a transport if one is named.
  init(home: String, device: String, transport: String?, token: String?) async throws {
    synced = try await SyncedStore.open(
      .file(home + "/todos.sqlite"), schema: try Schema([Todo.self]),
      registry: Registry([.directory, .http]), options: SyncEngine.Options(deviceName: device))
    if let transport {
      try await synced.use(
        TransportConfiguration(
          specification: TransportSpecification(transport), token: token.map { Secret($0) }))
    }
    todos = try AppStore(
      synced.store, identifier: "to-do list", consumer: "to-do list", showing: Todo.self,
      orderBy: [.ascending(\.isDone), .ascending(\.title)])
    todos.hooks.onFailure = { failure in
      FileHandle.standardError.write(Data((failure.logLine + "\n").utf8))
    }
    coordinator = AppCoordinator(synced, isActive: true)
    coordinator.add(todos)
    await todos.refresh()
  }

  /// Saves a new to-do.
  func add(_ title: String) async throws {
    try await todos.save { try $0.save(Todo(title)) }
  }

  /// Flips whether a to-do is done.
  func toggle(_ todo: Todo) async throws {
    try await todos.save { try $0.update(Todo.self, todo.id) { $0.isDone.toggle() } }
  }

  /// Keeps syncing and showing until the task is cancelled.
  func run() async {
    await withTaskGroup { group in
      let (coordinator, todos) = (coordinator, todos)
      group.addTask { await coordinator.run() }
      group.addTask { await todos.run() }
    }
  }
}
