import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import Testing

/// Two Syncthing processes carry the folder between two devices that write at the same time.
///
/// Nothing here depends on how fast that goes; the suite's time limit is the bound of each wait.
@Suite(.timeLimit(.minutes(10))) struct SyncthingTests {
  private static let transactions = 30

  /// A device with its store, beside one of the Syncthing processes.
  private struct Device {
    let carrier: Syncthing
    let synced: SyncedStore
  }

  let folder: TemporaryFolder
  private let devices: [Device]

  init() async throws {
    folder = try TemporaryFolder()
    let schema = try SampleSchema.todo()
    var devices: [Device] = []
    for name in ["phone", "laptop"] {
      let carrier = try await Syncthing(name, in: folder)
      let synced = try await SyncedStore.open(
        .memory, schema: schema, registry: Registry([]),
        options: SyncEngine.Options(deviceName: name))
      try await synced.use(DirectoryTransport(path: carrier.shared))
      devices.append(Device(carrier: carrier, synced: synced))
    }
    self.devices = devices
  }

  @Test func `two devices that write at the same time over Syncthing end equal`() async throws {
    let start = ContinuousClock.now
    let carriers = devices.map(\.carrier)
    var running: [Running] = []
    defer { for process in running { process.kill() } }
    for carrier in carriers {
      running.append(try carrier.start(with: carriers.filter { $0 !== carrier }))
    }
    try await whileSyncing { reports in
      try await writeEverywhere(seed: 1)
      try await waitUntilEqual(&reports)

      try leaveStrangers()
      try await writeEverywhere(seed: 2)
      try await waitUntilEqual(&reports)
    }

    let traffic = try await carriers[0].traffic()
    #expect(traffic.sent > 0 && traffic.received > 0)
    print(
      "Syncthing: \(2 * 2 * Self.transactions) transactions of 2 devices in "
        + "\(ContinuousClock.now - start); the phone sent \(traffic.sent) bytes and received "
        + "\(traffic.received).")
    for process in running { process.kill() }
    for process in running { #expect(try await process.outcome().wasKilled) }
    try expectCarriersFiles()
  }

  /// Lets both devices sync by themselves while something is done; gives a sign after each cycle.
  private func whileSyncing(
    _ body: (inout AsyncStream<PeerReport>.Iterator) async throws -> Void
  ) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: PeerReport.self)
    let tasks = devices.map { device in
      Task { await device.synced.run { continuation.yield($0) } }
    }
    defer { for task in tasks { task.cancel() } }
    var reports = stream.makeAsyncIterator()
    try await body(&reports)
  }

  private func writeEverywhere(seed: UInt64) async throws {
    try await withThrowingTaskGroup { group in
      for (number, device) in devices.enumerated() {
        group.addTask {
          try await Self.write(device.synced.store, seed: seed * 10 + UInt64(number))
        }
      }
      try await group.waitForAll()
    }
  }

  /// Random edits of the same few records on both sides.
  private static func write(_ store: Store, seed: UInt64) async throws {
    var shared = SeededGenerator(seed: 4711)
    let editor = RandomEditor(schema: store.schema, random: &shared)
    for number in 0..<UInt64(transactions) {
      try await store.write { write in
        var random = SeededGenerator(seed: seed << 16 + number)
        for _ in 0..<3 { try editor.edit(write, &random) }
      }
    }
  }

  /// Looks after each cycle of either device whether both hold the same, and nothing is pending.
  private func waitUntilEqual(
    _ reports: inout AsyncStream<PeerReport>.Iterator
  ) async throws {
    while try await !areEqual() {
      guard await reports.next(isolation: #isolation) != nil else { throw CancellationError() }
    }
  }

  private func areEqual() async throws -> Bool {
    var states: Set<[UInt64]> = []
    for device in devices {
      let store = device.synced.store
      let dump = try await store.read { try FleetDump($0) }
      states.insert([dump.stateHash, dump.conflictHash])
      for status in try await store.status(deviceName: device.carrier.name)
      where status.pending > 0 {
        return false
      }
    }
    return states.count == 1
  }

  /// Files as Syncthing leaves them: a conflict copy of a segment, one of half its length, and a
  /// temporary one.
  private func leaveStrangers() throws {
    let root = devices[0].carrier.shared
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    let segment = try #require(paths.filter { $0.hasSuffix(".seg") && !$0.hasPrefix(".st") }.min())
    let content = try Data(contentsOf: URL(fileURLWithPath: root + "/" + segment))
    let stem = root + "/" + segment.dropLast(4)
    let place = URL(fileURLWithPath: root + "/" + segment).deletingLastPathComponent().path
    let name = URL(fileURLWithPath: segment).lastPathComponent
    for (path, bytes) in [
      (stem + ".sync-conflict-20270115-080000-ABCDEFG.seg", content),
      (stem + ".sync-conflict-20270115-080001-ABCDEFG.seg", content.prefix(content.count / 2)),
      (place + "/~syncthing~\(name).tmp", content.prefix(10)),
    ] {
      try bytes.write(to: URL(fileURLWithPath: path))
    }
  }

  /// The tool's own folders stood there all the time.
  private func expectCarriersFiles() throws {
    for device in devices {
      let names = try FileManager.default.contentsOfDirectory(atPath: device.carrier.shared)
      #expect(names.contains(".stfolder"))
    }
  }
}
