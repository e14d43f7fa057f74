import Strandline
import StrandlineMemoryTransport
import StrandlineTransport

// What a cycle costs, by the size of the store and by the number of devices.
extension Row {
  static let costRows = [
    Row(name: "idle-cycle", summary: "a cycle with nothing to do, by the store's size") { run in
      var costs: [(count: Int, milliseconds: Double)] = []
      for count in run.sizes {
        let scene = try await run.scenes.scene(records: count)
        costs.append((count, try await run.idleCycle(scene.synced)))
      }
      return [
        Figure(
          "idle-cycle", "a cycle with nothing to do", costs[0].milliseconds, "ms", aim: 0.4,
          better: .smaller)
      ] + growth("idle-cycle", costs, floor: 1.2)
    },
    Row(name: "small-change", summary: "100 changes and a cycle, by the store's size") { run in
      var costs: [(count: Int, milliseconds: Double)] = []
      for count in run.sizes {
        let scene = try await run.scenes.scene(records: count)
        costs.append((count, try await run.changes(100, scene.synced)))
      }
      return [
        Figure(
          "small-change", "100 changes and a cycle", costs[0].milliseconds, "ms", better: .smaller)
      ] + growth("small-change", costs, floor: 1.5, aim: 1.2)
    },
    Row(name: "devices", summary: "10 changes and a cycle, by the zone's devices") { run in
      var figures: [Figure] = []
      var joined = 0
      let synced = try await run.cloudDevice()
      for count in [1, 10, 100, 1000] {
        while joined < count - 1 {
          joined += 1
          try await synced.join(number: joined)
        }
        let cost = try await run.changes(10, synced.device)
        figures.append(
          Figure(
            "devices-\(count)", "10 changes, a zone of \(count) devices", cost, "ms",
            yardstick: figures.first.map { ("1 device", $0.value) }, better: .smaller))
      }
      await synced.device.close()
      return figures
    },
  ]

  /// The costs at greater sizes beside that at the least one.
  private static func growth(
    _ name: String, _ costs: [(count: Int, milliseconds: Double)], floor: Double,
    aim: Double? = nil
  ) -> [Figure] {
    costs.dropFirst().map { cost in
      let isGreatest = cost.count == costs.last?.count
      return Figure(
        "\(name)-\(cost.count)", "  of \(FigureTable.number(Double(cost.count))) records",
        cost.milliseconds, "ms", yardstick: ("least", costs[0].milliseconds),
        floor: isGreatest ? floor : nil, aim: isGreatest ? aim : nil, better: .smaller)
    }
  }
}

extension BenchRun {
  /// The sizes at which growth is looked at.
  var sizes: [Int] { Set([1000, min(100_000, most), most]).sorted() }

  /// The milliseconds of a cycle that finds nothing to do.
  func idleCycle(_ device: SyncedStore) async throws -> Double {
    for _ in 0..<20 { _ = try await device.syncNow() }
    return try await Rounds.median(rounds) {
      try await Rounds.seconds { for _ in 0..<100 { _ = try await device.syncNow() } }.seconds * 10
    }
  }

  /// The milliseconds of so many changes and the cycle that sends them.
  func changes(_ count: Int, _ device: SyncedStore) async throws -> Double {
    let ids = try await device.store.read {
      try $0.records(Query("BenchTodo", limit: count)).map(\.id)
    }
    var priority = 100
    var times: [Double] = []
    for round in 0..<(4 * rounds + 1) {
      priority += 1
      let values = ["priority": Value.integer(Int64(priority))]
      let (seconds, report) = try await Rounds.seconds {
        try await device.store.write { write in
          for id in ids { try write.update("BenchTodo", id, values: values) }
        }
        return try await device.syncNow()
      }
      try expect(report.exported == ids.count, "not all was exported", report)
      if round > 0 { times.append(seconds * 1000) }
    }
    return Rounds.percentile(times, 0.5)
  }

  /// A device with a thousand records in a cloud that others can join.
  func cloudDevice() async throws -> CrowdedCloud {
    let cloud = MemoryCloud()
    let device = SyncedStore(
      store: try await workshop.store(records: 1000), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "bench"))
    try await device.use(MemoryTransport(cloud: cloud))
    while try await device.syncNow().caughtUpAt == nil {}
    return CrowdedCloud(device: device, transport: MemoryTransport(cloud: cloud))
  }
}

/// A cloud with one real device and many that only say that they have read everything.
struct CrowdedCloud: Sendable {
  let device: SyncedStore
  let transport: MemoryTransport

  /// Lets one more device join and report.
  func join(number: Int) async throws {
    let info = DeviceInfo(
      id: DeviceID(device: UInt64(number), epoch: 1), name: "device \(number)")
    let zone = try await transport.open(
      OpenRequest(
        device: info, zoneName: "default", environment: .development, expected: nil,
        schema: [:], proof: nil))
    let page = try await transport.fetch(
      FetchRequest(
        device: info, zone: zone.zone, proof: zone.proof, cursor: nil,
        limit: zone.limits.pageRecords))
    _ = try await transport.exchangeReceipts(
      Receipt(device: info, zone: zone.zone, proof: page.proof, cursor: page.cursor))
  }
}
