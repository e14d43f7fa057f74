import Strandline
import StrandlineTestSupport
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct HistoryFollowerTests {
  @Test func `a follower processes what is there and what comes, each once`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let (seen, see) = AsyncStream.makeStream(of: Int.self)
    let follower = HistoryFollower(store, consumer: "index") { see.yield($0.count) }
    try await store.write { try $0.save(TodoItem("a")) }
    let running = Task { await follower.run() }
    var counts = seen.makeAsyncIterator()
    #expect(await counts.next() == 1)

    try await store.write { try $0.save(TodoItem("b")) }

    #expect(await counts.next() == 1)
    running.cancel()
    await running.value
  }

  @MainActor private final class Index {
    var isLocked = true
    var processed = 0
  }

  @Test func `a processing that fails is told, and the place stays`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    let index = Index()
    let follower = HistoryFollower(store, consumer: "index") { transactions in
      if index.isLocked { throw SetupError(description: "the index is locked") }
      index.processed += transactions.count
    }
    try await store.write { try $0.save(TodoItem("a")) }

    await follower.refresh()
    #expect(follower.lastError is SetupError)
    index.isLocked = false
    await follower.refresh()

    #expect(follower.lastError == nil)
    #expect(index.processed == 1)
  }
}
