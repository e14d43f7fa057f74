import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Synchronization
import Testing

/// Readers of history that keep their places.
@Suite struct ConsumerTests {
  private struct Crash: Error {}

  private func store(notes count: Int) async throws -> Store {
    let store = try await HistoryFixture.store()
    for number in 0..<count {
      try await store.write(author: "\(number)") { try $0.insert("Note", values: [:]) }
    }
    return store
  }

  @Test func `a consumer gets everything once, in portions, and then what is new`() async throws {
    let store = try await store(notes: 5)
    var authors: [String?] = []
    var portions: [Int] = []

    while try await store.consume(
      "index", limit: 2,
      {
        authors += $0.map(\.author)
        portions.append($0.count)
      }) > 0
    {}
    try await store.write(author: "new") { try $0.insert("Note", values: [:]) }
    try await store.consumeAll("index") { authors += $0.map(\.author) }

    #expect(authors == ["0", "1", "2", "3", "4", "new"])
    #expect(portions == [2, 2, 1])
  }

  @Test func `processing that fails is repeated, by another opening too`() async throws {
    let store = try await store(notes: 2)
    await #expect(throws: Crash.self) {
      try await store.consume("index", limit: 1) { _ in throw Crash() }
    }
    #expect(try await store.token(of: "index") == nil)

    let other = try await Store.open(.file(store.path), schema: store.schema)
    var authors: [String?] = []
    let count = try await other.consumeAll("index", limit: 1) { authors += $0.map(\.author) }

    #expect(count == 2)
    #expect(authors == ["0", "1"])
    #expect(try await store.token(of: "index") == (try await store.historyToken()))
  }

  @Test func `what another SQLite client wrote is consumed without any other write`() async throws {
    let store = try await store(notes: 0)
    try ForeignWriter(store).run("INSERT INTO Note(text) VALUES ('by hand')")
    var origins: [HistoryTransaction.Origin] = []

    try await store.consume("index") { origins = $0.map(\.origin) }

    #expect(origins == [.anotherClient])
  }

  @Test func `of two that use one name at once the second is told`() async throws {
    let store = try await store(notes: 3)
    let other = try await Store.open(.file(store.path), schema: store.schema)

    let error = await #expect(throws: HistoryError.self) {
      try await store.consume("index") { _ in
        try await other.consume("index", limit: 1) { _ in }
      }
    }

    #expect(error?.code == .consumerMoved)
    #expect(try await store.token(of: "index")?.sequence == 1)
  }

  @Test func `a loop looks at once, after each commit and when it is woken`() async throws {
    let store = try await store(notes: 1)
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
    let (seen, saw) = AsyncStream.makeStream(of: Int.self)
    let loop = Task {
      try await store.keepConsuming("index", alsoOn: wakes) { saw.yield($0.count) }
    }
    var counts = seen.makeAsyncIterator()

    #expect(await counts.next() == 1)
    try await store.write { try $0.insert("Note", values: [:]) }
    #expect(await counts.next() == 1)
    try ForeignWriter(store).run("INSERT INTO Note(text) VALUES ('unnoticed')")
    wake.yield()
    #expect(await counts.next() == 1)

    loop.cancel()
    try await loop.value
  }

  @Test func `a loop ends when the store is closed`() async throws {
    let store = try await store(notes: 1)
    let (seen, saw) = AsyncStream.makeStream(of: Int.self)
    let loop = Task { try await store.keepConsuming("index") { saw.yield($0.count) } }
    var counts = seen.makeAsyncIterator()
    _ = await counts.next()

    store.close()

    try await loop.value
    #expect(try await store.token(of: "index")?.sequence == 1)
  }

  @Test func `a loop passes on what its processing throws`() async throws {
    let store = try await store(notes: 1)

    await #expect(throws: Crash.self) {
      try await store.keepConsuming("index") { _ in throw Crash() }
    }
    #expect(try await store.token(of: "index") == nil)
  }

  @Test func `a removed consumer begins anew`() async throws {
    let store = try await store(notes: 2)
    try await store.consumeAll("index") { _ in }

    #expect(try await store.removeConsumer("index"))
    #expect(try await !store.removeConsumer("index"))

    #expect(try await store.consumers().isEmpty)
    #expect(try await store.consumeAll("index") { _ in } == 2)
  }

  @Test func `consumers tell how far behind they are`() async throws {
    let store = try await store(notes: 3)
    try await store.consume("slow", limit: 1) { _ in }
    try await store.resetConsumer("quick")

    let consumers = try await store.consumers()

    #expect(consumers.map(\.name) == ["quick", "slow"])
    #expect(consumers.map(\.behind) == [0, 2])
    #expect(consumers.allSatisfy { !$0.isExpired })
  }

  @Test func `a reload reads everything, and goes on from just there`() async throws {
    let store = try await store(notes: 3)
    let seen = Mutex(0)

    let token = try await store.reload("index") {
      try $0.count(Query("Note"))
    } then: { count in
      seen.withLock { $0 = count }
      // What is saved while the consumer works comes after its place.
      try await store.write(author: "later") { try $0.insert("Note", values: [:]) }
    }
    var authors: [String?] = []
    try await store.consumeAll("index") { authors += $0.map(\.author) }

    #expect(seen.withLock { $0 } == 3)
    #expect(token.sequence == 3)
    #expect(authors == ["later"])
  }

  @Test func `a reload that fails saves no place`() async throws {
    let store = try await store(notes: 1)

    await #expect(throws: Crash.self) {
      try await store.reload("index") { _ in
        0
      } then: { _ in
        throw Crash()
      }
    }

    #expect(try await store.consumers().isEmpty)
  }

  @Test func `a place beyond the end of history is refused`() async throws {
    let store = try await store(notes: 1)

    let reading = await #expect(throws: HistoryError.self) {
      try await store.history(after: store.token(2))
    }
    let saving = await #expect(throws: HistoryError.self) {
      try await store.save(store.token(2), for: "index")
    }

    #expect(reading?.code == .tokenBeyondHistory)
    #expect(saving?.code == .tokenBeyondHistory)
  }

  @Test func `a store that is open for reading only saves no places`() async throws {
    let store = try await store(notes: 1)
    let reading = try await Store.open(
      .file(store.path), schema: store.schema, options: StoreOptions(isReadOnly: true))

    let error = await #expect(throws: StorageError.self) {
      try await reading.consume("index") { _ in }
    }

    #expect(error?.code == .readOnly)
    #expect(try await reading.history().count == 1)
  }
}
