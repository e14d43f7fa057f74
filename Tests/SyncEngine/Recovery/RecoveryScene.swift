import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Devices whose clocks are their own, around one cloud with a right clock.
struct RecoveryScene: Sendable {
  static let day: Int64 = 86_400_000
  static let year: Int64 = 365 * day

  let time = TestTime()
  let cloud: MemoryCloud

  init(limits: TransportLimits = TransportLimits()) {
    cloud = MemoryCloud(clock: time.clock, seed: 1, limits: limits)
  }

  /// A device whose clock is right.
  func device(_ name: String) async throws -> TestDevice {
    try await TestDevice(name, cloud, time)
  }

  /// A device over the cloud with options and a clock of its own.
  func device(
    _ name: String, clock: TestTime? = nil, schema: Schema? = nil,
    _ change: (inout SyncEngine.Options) -> Void = { _ in }
  ) async throws -> TestDevice {
    var options = SyncEngine.Options(deviceName: name)
    change(&options)
    let device = try await TestDevice(
      name, nil, clock ?? time, schema: schema, options: options)
    try await device.use(cloud)
    return device
  }

  /// Lets devices sync, twice each, so that all have what all made.
  func settle(_ devices: TestDevice...) async throws {
    for device in devices + devices { try await device.sync() }
  }
}

extension TestDevice {
  func brokenInvariants() async throws -> [String] {
    try await store.read { try $0.brokenInvariants().map(\.message) }
  }

  /// The time of the greatest stamp that the store has seen.
  func seenTime() async throws -> Int64 {
    try await store.read { transaction in
      try transaction.connection.first("SELECT seen FROM strandline_clock") {
        $0.stamp(0).milliseconds
      } ?? 0
    }
  }

  func delete(_ ids: some Collection<RecordID> & Sendable) async throws {
    try await store.write { write in
      for id in ids { try write.delete("TodoItem", id) }
    }
  }

  /// Saves so many items in one transaction.
  func insert(count: Int, _ prefix: String = "item") async throws -> [RecordID] {
    let ids = (0..<count).map { _ in RecordID() }
    try await store.write { write in
      for (number, id) in ids.enumerated() {
        try write.insert("TodoItem", id: id, values: ["name": .text("\(prefix) \(number)")])
      }
    }
    return ids
  }

  func name(_ id: RecordID) async throws -> String? {
    try await store.read { try $0.record("TodoItem", id)?["name"].text }
  }
}
