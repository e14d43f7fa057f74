import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Several peers in the background: each wakes the others, and none holds another up.
@Suite(.timeLimit(.minutes(3)))
struct BackgroundTests {
  private let time = TestTime()
  private let cloud: MemoryCloud

  init() {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
  }

  private func transport(_ name: String) -> MemoryTransport {
    MemoryTransport(cloud: cloud.named(name))
  }

  /// Runs a device in the background and gives its reports.
  private func run(_ device: PeerDevice) -> (Task<Void, Never>, AsyncStream<PeerReport>) {
    let (reports, report) = AsyncStream.makeStream(of: PeerReport.self)
    return (Task { await device.synced.run { report.yield($0) } }, reports)
  }

  @Test func `an import from one peer wakes the export to the other`() async throws {
    let a = try await PeerDevice("a", time, following: [transport("one")])
    let b = try await PeerDevice("b", time, following: [transport("one"), transport("two")])
    let (running, reports) = run(b)
    var begun: Set<String> = []
    var seen = reports.makeAsyncIterator()
    while begun.count < 2, let report = await seen.next() { begun.insert(report.peer) }

    // Time stands still for the engines, so that nothing but the import can wake them.
    try await a.insert("milk")
    try await a.sync()

    while let report = await seen.next() {
      if report.peer == "memory:two", report.exported == 1 { break }
    }
    let c = try await PeerDevice("c", time, following: [transport("two")])
    try await c.sync()
    #expect(try await c.names() == ["milk"])
    running.cancel()
    await running.value
  }

  @Test func `a peer that is down does not keep another from syncing`() async throws {
    let panel = FaultPanel(seed: 1)
    panel.update { $0.isDown = true }
    let b = try await PeerDevice(
      "b", time,
      following: [
        FaultyTransport(transport("one"), panel: panel, sleep: { _ in }), transport("two"),
      ])
    let (running, reports) = run(b)
    try await b.insert("milk")

    var failed = false
    var exported = false
    for await report in reports {
      if report.peer == "memory:one" { failed = failed || report.error != nil }
      if report.peer == "memory:two" { exported = exported || report.exported == 1 }
      if failed && exported { break }
    }

    #expect(try await b.status("memory:one")?.standing == .waiting)
    #expect(try await b.status("memory:two")?.pending == 0)
    running.cancel()
    await running.value
  }

  @Test func `a peer that is added or forgotten while it runs changes nothing for the others`()
    async throws
  {
    let b = try await PeerDevice("b", time, following: [transport("one")])
    let (running, reports) = run(b)
    try await b.synced.follow(transport("two"))
    try await b.insert("milk")
    var exported: Set<String> = []
    var seen = reports.makeAsyncIterator()
    while exported.count < 2, let report = await seen.next() {
      if report.exported == 1 { exported.insert(report.peer) }
    }

    let two = try #require(try await b.peer("memory:two"))
    try await b.synced.forget(two.id)
    try await b.insert("bread")
    while let report = await seen.next() {
      if report.peer == "memory:one", report.exported == 1 { break }
    }

    #expect(try await b.store.peerItems().map(\.specification) == ["memory:one"])
    running.cancel()
    await running.value
  }
}
