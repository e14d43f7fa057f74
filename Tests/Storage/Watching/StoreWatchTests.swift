import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store notices what others commit to its file, and tells its listeners.
@Suite(.timeLimit(.minutes(30))) struct StoreWatchTests {
  let world: WatchedStoreWorld

  init() throws {
    world = try WatchedStoreWorld()
  }

  /// With notifications, without, and with a burst gathered for long.
  static let pacings = [
    WatchPacing(), WatchPacing(longestWait: 50, usesNotifications: false),
  ]

  @Test(arguments: pacings)
  func `a save of another opening is told with its place in history`(
    pacing: WatchPacing
  ) async throws {
    let here = try await world.open(pacing)
    let there = try await world.open()
    var changes = here.changes().makeAsyncIterator()

    for name in ["first", "second"] {
      let head = try await there.saveTag(name)
      let change = await changes.next()
      #expect(change?.origin == .external)
      #expect(change?.sequence == head)
    }
  }

  @Test func `own saves are told once and never as those of others`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    var changes = here.changes().makeAsyncIterator()

    for _ in 1...3 {
      let own = try await here.saveTag()
      #expect(await changes.next() == StoreChange(sequence: own, origin: .local))
      // By the time that the other's save is told, the own one has been looked at as well.
      let other = try await there.saveTag()
      #expect(await changes.next() == StoreChange(sequence: other, origin: .external))
    }
  }

  @Test(arguments: pacings)
  func `what plain SQL writes is put into history and told once`(
    pacing: WatchPacing
  ) async throws {
    let here = try await world.open(pacing)
    let there = try await world.open()
    let client = try ForeignClient(world.path)
    var changes = here.changes().makeAsyncIterator()

    try client.script(
      "BEGIN; INSERT INTO Tag(id) VALUES ('a'); INSERT INTO Tag(id) VALUES ('b'); COMMIT")
    let change = await changes.next()
    let sealed = try await there.allTransactions()
    let other = try await there.saveTag()

    #expect(change == StoreChange(sequence: 2, origin: .external))
    #expect(sealed == [TransactionRow(first: 1, last: 2, origin: -1)])
    #expect(await changes.next() == StoreChange(sequence: other, origin: .external))
  }

  @Test func `what plain SQL wrote is told when its writer lets go of the store`() async throws {
    let here = try await world.open()
    let client = try ForeignClient(world.path)
    try client.run("INSERT INTO Tag(id) VALUES ('a')")
    try client.run("BEGIN IMMEDIATE")
    var changes = here.changes().makeAsyncIterator()

    try client.script("INSERT INTO Tag(id) VALUES ('b'); COMMIT")

    #expect(await changes.next() == StoreChange(sequence: 2, origin: .external))
    let sealed = try await here.allTransactions()
    #expect(sealed == [TransactionRow(first: 1, last: 2, origin: -1)])
  }

  @Test func `a transaction that stays open here takes no harm from the watch`() async throws {
    let here = try await world.open()
    let client = try ForeignClient(world.path)
    try client.run("INSERT INTO Tag(id) VALUES ('a')")
    try await here.begin()
    var changes = here.changes().makeAsyncIterator()
    try await here.step { try $0.insert("Tag", id: RecordID(text: "b"), values: [:]) }

    try await here.commit()

    // Which of the two is told first is chance.
    let told = [await changes.next(), await changes.next()].compactMap(\.self)
    #expect(
      Set(told) == [
        StoreChange(sequence: 1, origin: .external), StoreChange(sequence: 2, origin: .local),
      ])
    #expect(try await here.allTransactions().map(\.origin) == [-1, 0])
  }

  @Test func `a store open for reading only is told and writes nothing`() async throws {
    let there = try await world.open()
    let here = try await world.open(isReadOnly: true)
    let client = try ForeignClient(world.path)
    var changes = here.changes().makeAsyncIterator()

    try client.run("INSERT INTO Tag(id) VALUES ('a')")
    let unsealed = await changes.next()
    let before = try await here.allTransactions()
    let head = try await there.saveTag()
    // What was sealed and what was saved are two transactions of one commit, and are told at once.
    let later = await changes.next()

    #expect(unsealed == StoreChange(sequence: 1, origin: .external))
    #expect(before.isEmpty)
    #expect(later == StoreChange(sequence: head, origin: .external))
    #expect(try await here.allTransactions().map(\.origin) == [-1, 0])
  }

  @Test func `an import by another opening is told as something external`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    let other = try await Store.open(.memory, schema: SampleSchema.todo())
    try await other.saveTag()
    var changes = here.changes().makeAsyncIterator()

    try await there.receive(try await other.outgoing(for: 1).deltas, from: 1)

    #expect(await changes.next() == StoreChange(sequence: 1, origin: .external))
  }

  @Test func `a commit that changes no record is not told`() async throws {
    let here = try await world.open()
    let there = try await world.open()
    var changes = here.changes().makeAsyncIterator()

    for number in 1...5 {
      try await there.administer {
        try $0.connection.run(
          "INSERT INTO strandline_meta(key, value) VALUES (?, 1)", [.text("\(number)")])
      }
    }
    let head = try await there.saveTag()

    #expect(await changes.next() == StoreChange(sequence: head, origin: .external))
  }

  @Test func `a burst is told in few changes, of which the last names its end`() async throws {
    let here = try await world.open(WatchPacing(gap: 1000))
    let there = try await world.open()
    let changes = here.changes()
    var head: Int64 = 0
    for _ in 1...200 { head = try await there.saveTag() }

    var told: [Int64] = []
    for await change in changes {
      told.append(change.sequence)
      if change.sequence == head { break }
    }

    #expect(told.count <= 100)
    #expect(told == told.sorted())
    #expect(told.last == head)
  }
}
