import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store is watched from the first listener to the last, and not a moment longer than it is open.
@Suite(.timeLimit(.minutes(30))) struct WatchLifetimeTests {
  let world: WatchedStoreWorld

  init() throws {
    world = try WatchedStoreWorld()
  }

  @Test func `the first listener is told what others saved since the store was opened`()
    async throws
  {
    let here = try await world.open()
    let there = try await world.open()
    let head = try await there.saveTag()

    var changes = here.changes().makeAsyncIterator()

    #expect(await changes.next() == StoreChange(sequence: head, origin: .external))
  }

  @Test func `a listener that comes back is told only what is new`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    try await there.saveTag()
    var first: AsyncStream<StoreChange>? = here.changes()
    for await _ in try #require(first) { break }
    first = nil

    let head = try await there.saveTag()
    var changes = here.changes().makeAsyncIterator()

    #expect(await changes.next() == StoreChange(sequence: head, origin: .external))
  }

  @Test func `all listeners are told the same`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    var first = here.changes().makeAsyncIterator()
    var second = here.changes().makeAsyncIterator()

    let head = try await there.saveTag()

    #expect(await first.next()?.sequence == head)
    #expect(await second.next()?.sequence == head)
  }

  @Test func `the store is watched while somebody listens`() async throws {
    let here = try await world.open()
    let unheard = here.isWatched
    let listener = Task {
      for await _ in here.changes() {}
    }
    while !here.isWatched { await Task.yield() }

    listener.cancel()
    while here.isWatched { await Task.yield() }

    #expect(!unheard)
  }

  @Test func `closing ends the streams and the watch`() async throws {
    let here = try await world.open()
    let changes = here.changes()
    let heard = here.isWatched

    here.close()
    for await _ in changes {}
    while here.isWatched { await Task.yield() }
    for await _ in here.changes() {}

    #expect(heard)
    #expect(!here.isWatched)
  }

  #if os(Linux)
    @Test func `releasing the store ends its streams and closes its files`() async throws {
      var here: Store? = try await world.open()
      let changes = try #require(here?.changes())
      #expect(try world.descriptorCount() > 0)

      here = nil
      for await _ in changes {}
      while try world.descriptorCount() > 0 { await Task.yield() }

      #expect(try world.descriptorCount() == 0)
    }
  #endif

  @Test func `a store that is opened by a link is watched where it is`() async throws {
    let there = try await world.open()
    let here = try await world.open(path: try world.link())
    var changes = here.changes().makeAsyncIterator()

    for _ in 1...3 {
      let head = try await there.saveTag()
      #expect(await changes.next() == StoreChange(sequence: head, origin: .external))
    }
  }

  @Test func `a log that is emptied by a checkpoint is watched on`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    let client = try ForeignClient(world.path)
    var changes = here.changes().makeAsyncIterator()

    for _ in 1...3 {
      let head = try await there.saveTag()
      #expect(await changes.next() == StoreChange(sequence: head, origin: .external))
      try client.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    #expect(here.watchFailure == nil)
  }
}
