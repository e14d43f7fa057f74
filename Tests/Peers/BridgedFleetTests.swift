import Foundation
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import StrandlineTransport
import Synchronization
import Testing

/// Random runs of devices that bridge zones end equal, with the same list of what lost.
struct BridgedFleetTests {
  /// `STRANDLINE_SEED` replays one run, `STRANDLINE_RUNS` asks for more of them.
  private static func seeds(_ count: UInt64) -> [UInt64] {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["STRANDLINE_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(variables["STRANDLINE_RUNS"].flatMap(UInt64.init) ?? count))
  }

  /// A cloud in memory, whose zone names begin with `m`, and a folder for those with `f`.
  private func expectRest(
    seed: UInt64, devices: [[String]], steps: Int = 60, swaps: Bool = false
  ) async throws {
    let folder = try TemporaryFolder()
    // The clouds have the fleet's time, which is no time of day.
    let cloud = Mutex<MemoryCloud?>(nil)
    for zone in Set(devices.joined()) { try folder.makeFolder(zone) }
    let fleet = try await BridgedFleet(
      seed: seed, schema: SampleSchema.todo(), devices: devices, swaps: swaps
    ) { zone, clock in
      if zone.hasPrefix("f") {
        return DirectoryTransport(path: folder.path(zone), clock: clock)
      }
      let shared = cloud.withLock { cloud in
        let made = cloud ?? MemoryCloud(clock: clock, seed: seed)
        cloud = made
        return made
      }
      return MemoryTransport(cloud: shared.named(zone))
    }
    for _ in 0..<steps { try await fleet.step() }
    try await fleet.heal()
    let findings = try await fleet.findings()
    #expect(
      findings.isEmpty,
      "seed \(seed); replay with STRANDLINE_SEED=\(seed) swift test --filter BridgedFleetTests")
  }

  @Test func `two clouds with a device between them`() async throws {
    for seed in Self.seeds(25) {
      try await expectRest(seed: seed, devices: [["m1"], ["m1", "m2"], ["m2"]])
    }
  }

  @Test func `a cloud and a folder with a device between them`() async throws {
    for seed in Self.seeds(12) {
      try await expectRest(seed: seed, devices: [["m1"], ["m1", "f1"], ["f1"]])
    }
  }

  @Test func `two devices that bridge the same two zones`() async throws {
    for seed in Self.seeds(12) {
      try await expectRest(
        seed: seed, devices: [["m1"], ["m1", "m2"], ["m2", "m1"], ["m2"]])
    }
  }

  @Test func `a chain of three zones`() async throws {
    for seed in Self.seeds(10) {
      try await expectRest(
        seed: seed, devices: [["m1"], ["m1", "f1"], ["f1", "m2"], ["m2"]])
    }
  }

  @Test func `bridges that follow one zone only for a while`() async throws {
    for seed in Self.seeds(12) {
      try await expectRest(
        seed: seed, devices: [["m1"], ["m1", "f1"], ["f1"]], swaps: true)
    }
  }
}
