import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineTransport
import Synchronization
import Testing

@Suite struct FaultyTransportTests {
  private let panel = FaultPanel(seed: 1)
  private let cloud = MemoryCloud(clock: WallClock { 1_000_000 }, seed: 5)
  private let device = DeviceInfo(id: DeviceID(device: 1, epoch: 1), name: "phone")

  private var faulty: FaultyTransport {
    FaultyTransport(MemoryTransport(cloud: cloud), panel: panel) { _ in }
  }

  private func open(_ transport: any Transport) async throws(TransportError) -> ZoneDescription {
    try await transport.open(
      OpenRequest(
        device: device, zoneName: "notes", environment: .development, expected: nil, schema: [:],
        proof: nil))
  }

  private func page(
    _ zone: ZoneID, _ ids: [String], token: UInt64 = 1, number: Int = 0, isLast: Bool = true,
    count: Int? = nil
  ) -> SendPage {
    SendPage(
      device: device, zone: zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: token, base: 0, sequence: 1, transactionToken: 1,
        recordCount: count ?? ids.count),
      page: number, isLast: isLast,
      deltas: ids.map {
        RecordDelta(
          key: RecordKey(entity: "Note", id: RecordID(text: $0)), birth: Stamp(rawValue: 10))
      })
  }

  private func head(_ zone: ZoneID) async throws -> Int64 {
    try await MemoryTransport(cloud: cloud).fetch(
      FetchRequest(device: device, zone: zone, proof: nil, cursor: nil, limit: 1)
    ).proof.sequence
  }

  private func failure(_ body: () async throws -> Void) async -> TransportError? {
    do { try await body() } catch { return error as? TransportError }
    return nil
  }

  @Test func `without faults everything passes`() async throws {
    let zone = try await open(faulty).zone

    #expect(try await faulty.send(page(zone, ["a"])).acceptance != nil)
    #expect(faulty.specification == "memory" && faulty.traits.isEphemeral)
    #expect(panel.counts.calls == 2 && panel.counts.faults.isEmpty)
  }

  @Test func `a link that is down lets nothing through until it is up`() async throws {
    panel.update { $0.isDown = true }
    let error = await failure { _ = try await open(faulty) }
    panel.update { $0.isDown = false }

    #expect(error?.code == .unreachable && error?.remedy == .retry(afterMilliseconds: nil))
    #expect(panel.counts.down == 1)
    #expect(try await open(faulty).wasCreated)
  }

  @Test func `a dropped request has no effect`() async throws {
    let zone = try await open(faulty).zone
    panel.inject(.dropRequest)

    #expect(await failure { _ = try await faulty.send(page(zone, ["a"])) }?.code == .unreachable)
    #expect(try await head(zone) == 0)
    #expect(panel.counts.faults == [.dropRequest: 1])
  }

  @Test func `a lost reply and a damaged one come after the effect`() async throws {
    let zone = try await open(faulty).zone
    panel.inject(.loseReply)
    let lost = await failure { _ = try await faulty.send(page(zone, ["a"], token: 1)) }
    let headAfterLoss = try await head(zone)
    panel.inject(.corrupt)
    let damaged = await failure { _ = try await faulty.send(page(zone, ["b"], token: 2)) }

    #expect(lost?.code == .unreachable && headAfterLoss == 1)
    #expect(damaged?.code == .damaged && damaged?.remedy == .retry(afterMilliseconds: nil))
    #expect(try await head(zone) == 2)
  }

  @Test func `a duplicated request arrives twice`() async throws {
    panel.inject(.duplicate)

    let found = try await open(faulty)

    #expect(!found.wasCreated)
  }

  @Test func `a delay sleeps for a time from the range and then goes on`() async throws {
    let slept = Mutex<[Duration]>([])
    panel.update { $0.delayMilliseconds = 40...40 }
    panel.inject(.delay)
    let transport = FaultyTransport(MemoryTransport(cloud: cloud), panel: panel) { duration in
      slept.withLock { $0.append(duration) }
    }

    let found = try await open(transport)

    #expect(found.wasCreated)
    #expect(slept.withLock { $0 } == [.milliseconds(40)])
  }

  @Test func `a delay that is cancelled is an unreachable peer`() async {
    panel.inject(.delay)
    let transport = FaultyTransport(MemoryTransport(cloud: cloud), panel: panel) { _ in
      throw CancellationError()
    }

    let error = await failure { _ = try await open(transport) }

    #expect(error?.code == .unreachable && error?.cause is CancellationError)
  }

  @Test func `throttling tells how long to wait`() async {
    panel.update { $0.throttleSeconds = 7 }
    panel.inject(.throttle)

    let error = await failure { _ = try await open(faulty) }

    #expect(error?.code == .throttled && error?.remedy == .retry(afterMilliseconds: 7000))
  }

  @Test func `an expired cursor waits for a fetch that names one`() async throws {
    let zone = try await open(faulty).zone
    panel.inject(.expireCursor)
    func fetch(_ cursor: Cursor?) async throws -> FetchPage {
      try await faulty.fetch(
        FetchRequest(device: device, zone: zone, proof: nil, cursor: cursor, limit: 1))
    }

    let cursor = try await fetch(nil).cursor
    let error = await failure { _ = try await fetch(cursor) }

    #expect(error?.code == .cursorExpired && error?.remedy == .compareAll)
    #expect(await failure { _ = try await fetch(cursor) } == nil)
  }

  @Test func `C17: a record that is refused leaves its whole group unmerged`() async throws {
    let zone = try await open(faulty).zone
    panel.update { $0.refusedRecords = [RecordID(text: "b")] }

    let first = try await faulty.send(
      page(zone, ["a", "b"], token: 1, isLast: false, count: 3))
    panel.inject(.duplicate)
    let last = try await faulty.send(page(zone, ["c"], token: 1, number: 1, count: 3))
    let headAfterRefusal = try await head(zone)
    let rest = try await faulty.send(page(zone, ["a", "c"], token: 2))

    #expect(first.refused.map(\.key.id.description) == ["b"])
    #expect(last.acceptance == nil && last.refused == first.refused)
    #expect(headAfterRefusal == 0 && rest.acceptance != nil)
    #expect(panel.counts.refusedRecords == 1)
  }

  @Test func `an earlier request arrives again after a later one`() async throws {
    let zone = try await open(faulty).zone
    let transport = faulty
    _ = try await transport.send(page(zone, ["a"], token: 1))
    let begun = page(zone, ["b"], token: 2, isLast: false, count: 2)
    _ = try await transport.send(begun)
    panel.inject(.reorder)
    // The group of b begins, then another one; the page of b comes once more and drops that.
    _ = try await transport.send(page(zone, ["c"], token: 3, isLast: false, count: 2))

    let error = await failure {
      _ = try await transport.send(page(zone, ["d"], token: 3, number: 1, count: 2))
    }

    #expect(error?.code == .invalidRequest)
    #expect(panel.counts.faults == [.reorder: 1])
    #expect(try await head(zone) == 1)
  }

  @Test func `there is nothing to reorder before a first call`() async throws {
    panel.inject(.reorder)

    _ = try await open(faulty)

    #expect(panel.counts.faults.isEmpty && panel.controls.next == [.reorder])
  }

  @Test func `an answer that comes late is overtaken by a later one`() async throws {
    let (late, isLate) = AsyncStream.makeStream(of: Void.self)
    let (free, setFree) = AsyncStream.makeStream(of: Void.self)
    let transport = FaultyTransport(MemoryTransport(cloud: cloud), panel: panel) { _ in
      isLate.yield()
      for await _ in free { return }
    }
    panel.inject(.delayAnswer)

    let first = Task { try await open(transport) }
    for await _ in late { break }
    let second = try await open(transport)
    setFree.yield()

    #expect(!second.wasCreated, "the first call had its effect before the second")
    #expect(try await first.value.wasCreated)
    #expect(panel.counts.faults == [.delayAnswer: 1])
  }

  @Test func `somebody else's account is told and opened`() async throws {
    panel.update { $0.account = .available("somebody") }

    #expect(try await faulty.account() == .available("somebody"))
    #expect(try await open(faulty).account == "somebody")
    #expect(panel.counts.wrongAccount == 1)
  }

  @Test(arguments: [AccountState.signedOut, .restricted, .undetermined])
  func `without an account no call is served`(state: AccountState) async throws {
    let zone = try await open(faulty).zone
    panel.update { $0.account = state }

    #expect(try await faulty.account() == state)
    for error in [
      await failure { _ = try await open(faulty) },
      await failure { _ = try await faulty.send(page(zone, ["a"])) },
    ] {
      #expect(error?.code == .accountUnavailable && error?.remedy == .waitForAccount)
    }
    #expect(try await head(zone) == 0)
  }

  @Test func `records of an entity and records above a size are refused`() async throws {
    let zone = try await open(faulty).zone
    panel.update { $0.recordBytes = 10 }
    let large = try await faulty.send(page(zone, ["a", "a long id of a record"], token: 1))
    panel.update { controls in
      controls.recordBytes = nil
      controls.refusedEntities = ["Note"]
    }
    let entity = try await faulty.send(page(zone, ["a"], token: 2))

    #expect(large.refused.map(\.code) == ["tooLarge"])
    #expect(
      large.refused.first?.message
        == "Could not take record a long id of a record of Note, it has 21 bytes and 10 are allowed."
    )
    #expect(entity.refused.map(\.code) == ["injected"] && entity.acceptance == nil)
    #expect(panel.counts.refusedRecords == 2)
  }

  @Test func `the same seed gives the same faults, and rates are about kept`() async {
    func run() async -> [String] {
      let panel = FaultPanel(seed: 42)
      panel.update { $0.rates = [.dropRequest: 0.3, .loseReply: 0.2, .throttle: 0.1] }
      let transport = FaultyTransport(
        MemoryTransport(cloud: MemoryCloud(clock: WallClock { 0 }, seed: 1)), panel: panel
      ) { _ in }
      var seen: [String] = []
      for _ in 0..<500 {
        let error = await failure { _ = try await open(transport) }
        seen.append(error?.codeName ?? "passed")
      }
      seen.append("\(panel.counts.faults.sorted { $0.key.rawValue < $1.key.rawValue })")
      return seen
    }

    let (one, two) = (await run(), await run())

    #expect(one == two)
    let passed = one.filter { $0 == "passed" }.count
    #expect((200...310).contains(passed), "0.7 * 0.8 * 0.9 of 500 calls should pass")
  }

  @Test func `a kind of transport can be made faulty as a whole`() async throws {
    panel.update { $0.isDown = true }
    let registry = Registry([TransportKind.memory(cloud).faulty(panel: panel) { _ in }])

    let transport = try await registry.make(
      TransportConfiguration(specification: TransportSpecification("memory")))

    #expect(transport?.specification == "memory")
    #expect(await failure { _ = try await transport?.account() }?.code == .unreachable)
  }
}
