import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import Testing

@Suite struct FleetTests {
  /// `STRANDLINE_SEED` replays one run, `STRANDLINE_RUNS` asks for more of them.
  private static func seeds(_ count: UInt64) -> [UInt64] {
    let variables = ProcessInfo.processInfo.environment
    if let seed = variables["STRANDLINE_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(1...(variables["STRANDLINE_RUNS"].flatMap(UInt64.init) ?? count))
  }

  private func expectRest(_ fleet: Fleet, steps: Int, seed: UInt64) async throws {
    for _ in 0..<steps { try await fleet.step() }
    try await fleet.heal()
    let findings = try await fleet.findings()
    #expect(
      findings.isEmpty,
      "seed \(seed); replay with STRANDLINE_SEED=\(seed) swift test --filter FleetTests")
  }

  @Test func `200 random runs of three devices over the memory cloud end equal`() async throws {
    let schema = try SampleSchema.todo()
    for seed in Self.seeds(200) {
      let fleet = try await Fleet(seed: seed, deviceCount: 3, schema: schema)
      try await expectRest(fleet, steps: 40, seed: seed)
    }
  }

  @Test func `random runs of three devices over a folder end equal`() async throws {
    let schema = try SampleSchema.todo()
    for seed in Self.seeds(25) {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("strandline-fleet-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let fleet = try await Fleet(seed: seed, deviceCount: 3, schema: schema) {
        DirectoryTransport(path: folder.path, clock: $0)
      }
      try await expectRest(fleet, steps: 40, seed: seed)
    }
  }
}
