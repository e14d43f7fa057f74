import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// A (memory), B (memory and folder), C (folder): everything crosses both ways (8.5).
struct BridgeTests {
  private let time = TestTime()
  private let folder: TemporaryFolder
  private let a: PeerDevice
  private let b: PeerDevice
  private let c: PeerDevice
  private let transports: [CountingTransport]

  init() async throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
    let cloud = MemoryCloud(clock: time.clock, seed: 1)
    let share = folder.path("share")
    let clock = time.clock
    transports = [
      CountingTransport(MemoryTransport(cloud: cloud)),
      CountingTransport(DirectoryTransport(path: share, clock: clock)),
    ]
    a = try await PeerDevice("a", time, following: [MemoryTransport(cloud: cloud)])
    b = try await PeerDevice("b", time, following: transports)
    c = try await PeerDevice(
      "c", time, following: [DirectoryTransport(path: share, clock: clock)])
  }

  /// Lets everything cross from one end to the other and back.
  private func settle() async throws {
    for device in [a, b, c, b, a] { try await device.sync() }
  }

  @Test func `inserts, edits and deletes cross both ways`() async throws {
    let milk = try await a.insert("milk")
    let bread = try await c.insert("bread")
    let doomed = try await a.insert("doomed")
    try await settle()
    time.advance()
    try await c.rename(milk, "oat milk")
    try await a.rename(bread, "rye bread")
    try await c.delete(doomed)
    try await settle()

    for device in [a, b, c] {
      #expect(try await device.names() == ["oat milk", "rye bread"], "\(device.name)")
    }
  }

  @Test func `a conflict between the ends is listed on every device`() async throws {
    let milk = try await a.insert("milk")
    try await settle()
    time.advance()
    try await a.rename(milk, "from a")
    time.advance()
    try await c.rename(milk, "from c")
    try await settle()
    try await settle()

    for device in [a, b, c] {
      #expect(try await device.names() == ["from c"], "\(device.name)")
      #expect(try await device.conflicts() == ["name = from a"], "\(device.name)")
    }
  }

  @Test func `a conflict inside one zone is told to the other`() async throws {
    let milk = try await a.insert("milk")
    try await settle()
    time.advance()
    try await a.rename(milk, "from a")
    time.advance()
    try await b.rename(milk, "from b")
    try await settle()
    try await settle()

    for device in [a, b, c] {
      #expect(try await device.names() == ["from b"], "\(device.name)")
      #expect(try await device.conflicts() == ["name = from a"], "\(device.name)")
    }
  }

  @Test func `a device sees receipts of the devices of its own zone, for each peer`()
    async throws
  {
    let milk = try await b.insert("milk")
    try await settle()
    try await b.sync()

    let trace = try #require(try await b.store.trace(milk))
    let gates = trace.peers.map { [$0.peer: $0.importedBy.filter { $0.at != nil }.map(\.device)] }

    #expect(gates.first?["memory"]?.contains("a") == true)
    #expect(gates.last?.values.first?.contains("c") == true)
    #expect(trace.peers.map(\.isPublished) == [false, true])
    #expect(try await b.status("memory")?.receipts.complete == 1)
  }

  @Test func `nothing that has crossed comes back, and rest is silent`() async throws {
    for index in 0..<20 { try await a.insert("item \(index)") }
    try await settle()

    #expect(transports[0].counts.records == 0)
    #expect(transports[1].counts.records == 20)
    for transport in transports { transport.reset() }
    try await settle()
    #expect(transports.map(\.counts.pages) == [0, 0])
  }
}
