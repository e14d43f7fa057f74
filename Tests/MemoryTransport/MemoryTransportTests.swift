import StrandlineMemoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct MemoryTransportTests {
  private let cloud = MemoryCloud(clock: WallClock { 1_000_000 }, seed: 5)

  private func info(_ number: UInt64) -> DeviceInfo {
    DeviceInfo(id: DeviceID(device: number, epoch: 1), name: "device \(number)")
  }

  private func open(
    _ transport: MemoryTransport, _ device: UInt64, expected: ZoneID? = nil,
    environment: ZoneEnvironment = .development
  ) async throws -> ZoneDescription {
    try await transport.open(
      OpenRequest(
        device: info(device), zoneName: "notes", environment: environment, expected: expected,
        schema: ["Note": ["name"]], proof: nil))
  }

  private func group(_ device: UInt64, _ zone: ZoneID, _ ids: String...) -> SendPage {
    let deltas = ids.map { id in
      RecordDelta(
        key: RecordKey(entity: "Note", id: RecordID(text: id)), birth: Stamp(rawValue: 10),
        versions: [
          "name": Version(
            life: Stamp(rawValue: 10), stamp: Stamp(rawValue: 10), value: .text(id))
        ])
    }
    return SendPage(
      device: info(device), zone: zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: device, base: 0, sequence: 1, transactionToken: 1, recordCount: deltas.count),
      page: 0, isLast: true, deltas: deltas)
  }

  private func fetch(
    _ transport: MemoryTransport, _ device: UInt64, _ zone: ZoneID, proof: Proof? = nil
  ) async throws -> FetchPage {
    try await transport.fetch(
      FetchRequest(device: info(device), zone: zone, proof: proof, cursor: nil, limit: 10))
  }

  private func code(_ body: () async throws -> Void) async -> TransportError.Code? {
    do { try await body() } catch { return (error as? TransportError)?.code }
    return nil
  }

  @Test func `what one device sends another one fetches`() async throws {
    let (phone, laptop) = (MemoryTransport(cloud: cloud), MemoryTransport(cloud: cloud))
    let made = try await open(phone, 1)
    let found = try await open(laptop, 2)

    let answer = try await phone.send(group(1, made.zone, "a", "b"))
    let page = try await fetch(laptop, 2, found.zone)
    let receipt = Receipt(device: info(2), zone: made.zone, proof: page.proof, cursor: page.cursor)
    _ = try await laptop.exchangeReceipts(receipt)
    let reports = try await phone.exchangeReceipts(
      Receipt(device: info(1), zone: made.zone, proof: nil, cursor: page.cursor))

    #expect(made.wasCreated && !found.wasCreated && made.zone == found.zone)
    #expect(page.changes.map(\.delta.key.id.description) == ["a", "b"])
    #expect(reports.map(\.position) == [answer.acceptance?.position])
  }

  @Test func `the traits say that the cloud ends with its process`() {
    let transport = MemoryTransport(cloud: cloud)

    #expect(transport.traits == TransportTraits(acknowledgement: .stored, isEphemeral: true))
    #expect(transport.specification == "memory")
    #expect(MemoryTransport(cloud: cloud.named("b")).specification == "memory:b")
  }

  @Test func `nothing is served while nobody is signed in, to that device alone`() async throws {
    let login = MemoryLogin()
    let (phone, laptop) = (
      MemoryTransport(cloud: cloud, login: login), MemoryTransport(cloud: cloud)
    )
    let zone = try await open(phone, 1).zone

    for state in [AccountState.signedOut, .restricted, .undetermined] {
      login.state = state
      #expect(try await phone.account() == state)
      #expect(await code { _ = try await fetch(phone, 1, zone) } == .accountUnavailable)
    }
    #expect(await code { _ = try await fetch(laptop, 2, zone) } == nil)
  }

  @Test func `C7: after a change of the account the known zone is not there`() async throws {
    let login = MemoryLogin(.available("one"))
    let phone = MemoryTransport(cloud: cloud, login: login)
    let zone = try await open(phone, 1).zone
    login.state = .available("two")

    #expect(await code { _ = try await open(phone, 1, expected: zone) } == .zoneNotFound)
    #expect(await code { _ = try await phone.send(group(1, zone, "a")) } == .zoneNotFound)
  }

  @Test func `an accepted group wakes everybody of the account and nobody else`() async throws {
    let (phone, laptop) = (MemoryTransport(cloud: cloud), MemoryTransport(cloud: cloud))
    let stranger = MemoryTransport(cloud: cloud, login: MemoryLogin(.available("other")))
    let zone = try await open(phone, 1).zone
    var hints = laptop.hints().makeAsyncIterator()
    let strange = stranger.hints()
    let others = Task { await strange.first { _ in true } }

    _ = try await phone.send(group(1, zone, "a"))

    #expect(await hints.next() == Hint())
    others.cancel()
    #expect(await others.value == nil)
  }

  @Test func `C11: a cloud put back silently is noticed by its proof`() async throws {
    let phone = MemoryTransport(cloud: cloud)
    let zone = try await open(phone, 1).zone
    let backup = try cloud.backUp()
    let proof = try await phone.send(group(1, zone, "a")).acceptance?.proof
    try cloud.restore(backup, announced: false)

    #expect(await code { _ = try await fetch(phone, 1, zone, proof: proof) } == .zoneRestored)
    #expect(try await fetch(phone, 1, zone).changes.isEmpty)
  }

  @Test func `C11: a cloud put back with notice begins a new incarnation`() async throws {
    let phone = MemoryTransport(cloud: cloud)
    let made = try await open(phone, 1)
    try cloud.restore(try cloud.backUp(), announced: true)

    let found = try await open(phone, 1, expected: made.zone)

    #expect(found.proof.incarnation == made.proof.incarnation + 1)
  }

  @Test func `production knows what was deployed`() async throws {
    let phone = MemoryTransport(cloud: cloud)
    _ = try await open(phone, 1)
    let before = await code { _ = try await open(phone, 1, environment: .production) }
    try cloud.deploySchema()

    #expect(before == .schemaRefused)
    #expect(await code { _ = try await open(phone, 1, environment: .production) } == nil)
  }

  @Test func `purging says who did it to everybody else`() async throws {
    let (phone, laptop) = (MemoryTransport(cloud: cloud), MemoryTransport(cloud: cloud))
    let zone = try await open(phone, 1).zone
    try await phone.purge(PurgeRequest(device: info(1), zone: zone))

    #expect(await code { _ = try await fetch(laptop, 2, zone) } == .zonePurged)
  }

  @Test func `a name makes a separate cloud and means the same one again`() async throws {
    let registry = Registry([.memory(cloud)])
    func transport(_ text: String) async throws -> (any Transport)? {
      try await registry.make(
        TransportConfiguration(specification: TransportSpecification(text)))
    }
    let request = OpenRequest(
      device: info(1), zoneName: "notes", environment: .development, expected: nil, schema: [:],
      proof: nil)

    let plain = try await transport("memory")?.open(request)
    let first = try await transport("memory:other")?.open(request)
    let second = try await transport("memory:other")?.open(request)

    #expect(plain?.wasCreated == true && first?.wasCreated == true)
    #expect(first?.zone != plain?.zone)
    #expect(second?.wasCreated == false && second?.zone == first?.zone)
    #expect(try await transport("memory:other")?.specification == "memory:other")
  }

  @Test func `two clouds of one seed make the same zones`() async throws {
    let twin = MemoryCloud(clock: WallClock { 1_000_000 }, seed: 5)

    let zones = try await [
      open(MemoryTransport(cloud: cloud), 1).zone, open(MemoryTransport(cloud: twin), 1).zone,
    ]

    #expect(zones[0] == zones[1])
  }
}
