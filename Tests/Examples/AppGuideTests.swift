import Foundation
import Strandline
import StrandlineMemoryTransport
import StrandlineTestSupport
import Testing

// What the guide "The pattern of an app" shows, compiled and run.

/// A screen that shows what is to be read.
@MainActor final class ReadingList {
  let books: AppStore<[Book]>
  private(set) var problem: String?

  init(_ store: Store) throws {
    books = try AppStore(
      store, identifier: "reading list", consumer: "reading list", showing: Book.self,
      where: #Predicate { !$0.read }, orderBy: [.ascending(\.title)])
    books.hooks.onFailure = { [weak self] failure in self?.problem = failure.description }
  }

  func finish(_ book: Book) async throws {
    try await books.save { try $0.update(Book.self, book.id) { $0.read = true } }
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct AppGuideTests {
  @Test func `a screen shows what is to be read, and follows each change`() async throws {
    let store = try await Store.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]))
    let list = try ReadingList(store)
    try await store.write { try $0.save(Book(title: "The Telling", year: 2000)) }
    await list.books.refresh()
    let book = try #require(list.books.content.first)

    try await list.finish(book)

    #expect(list.books.content.isEmpty)
    #expect(list.problem == nil)
  }

  @Test func `several fetches make one content`() async throws {
    let store = try await Store.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]))
    try await store.write { try $0.save(Book(title: "The Telling", year: 2000)) }
    let overview = AppStore(store, identifier: "overview", initial: "") { reader in
      let unread = try reader.count(Book.self, where: #Predicate { !$0.read })
      let shelves = try reader.fetch(Shelf.self, orderBy: [.ascending(\.name)])
      return "\(unread) to read on \(shelves.count) shelves"
    }
    await overview.reload()
    #expect(overview.content == "1 to read on 0 shelves")
  }

  @Test func `a coordinator runs the safety net`() async throws {
    let synced = try await SyncedStore.open(
      .memory, schema: try Schema([Book.self, Author.self, Shelf.self]),
      registry: Registry([.memory]), options: SyncEngine.Options(deviceName: "laptop"))
    let list = try ReadingList(synced.store)
    let app = Task {
      let coordinator = AppCoordinator(synced, isActive: true)
      coordinator.add(list.books)
      await withTaskGroup { group in
        group.addTask { await coordinator.run() }
        group.addTask { await list.books.run() }
      }
    }
    let (shown, show) = AsyncStream.makeStream(of: Void.self)
    list.books.hooks.afterReload = { if !$0.isEmpty { show.yield() } }
    try await synced.store.write { try $0.save(Book(title: "The Telling", year: 2000)) }

    for await _ in shown { break }

    app.cancel()
    await app.value
    #expect(list.books.content.map(\.title) == ["The Telling"])
  }
}
