import Strandline
import StrandlineDirectoryTransport
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport

/// One store with one peer, whose cycles are taken step by step.
struct Device {
  let store: Store
  private let transport: any Transport
  private let moment: Moment
  private let options: SyncEngine.Options
  private let lease: StoreLease
  private let peer: Int64

  /// Opens the store, with a model that asks for a change of all records if it shall migrate.
  init(
    store path: String, transport: any Transport, name: String, isMigrating: Bool, moment: Moment
  ) async throws {
    self.transport = transport
    self.moment = moment
    let options = Self.options(name)
    self.options = options
    store = try await moment.around("open") {
      try await Store.open(
        .file(path), schema: try StepperModel.schema(isLater: isMigrating),
        options: StoreOptions(
          clock: moment.clock, dataMigrations: isMigrating ? [Self.migration(moment)] : []))
    }
    lease = StoreLease(store)
    try lease.take()
    try await store.handleSwitch(.turnOn)
    peer = try await store.administer(durable: true) { transaction in
      try transaction.followPeer(
        specification: transport.specification, zoneName: options.zoneName,
        environment: options.environment.rawValue,
        isPublished: transport.traits.acknowledgement == .published
      ).id
    }
  }

  private static func options(_ name: String) -> SyncEngine.Options {
    var options = SyncEngine.Options(deviceName: name, uploadLimit: 6)
    options.stagedChanges = 6
    return options
  }

  static func transport(
    _ specification: String, token: String, moment: Moment
  ) throws -> any Transport {
    let named = TransportSpecification(specification)
    if named.kind == "directory" {
      var limits = DirectoryLimits(partBytes: 400)
      limits.looseGroups = 3
      return DirectoryTransport(
        path: named.address, limits: limits, observe: { step, path in moment.observe(step, path) })
    }
    return try HTTPTransport(TransportConfiguration(specification: named, tokenFile: token))
  }

  private static func migration(_ moment: Moment) -> DataMigration {
    DataMigration(version: 2) { transaction in
      for item in try transaction.records(Query("Item")) {
        let name = item["name"].text ?? ""
        try transaction.update("Item", item.id, values: ["place": .text("at \(name)")])
        moment.reachInside()
      }
    }
  }

  /// Saves a transaction of four changes, and says so when it is saved.
  func save(_ name: String, without previous: String?) async throws {
    try await moment.around("save") {
      try await store.write { write in
        for letter in ["a", "b"] {
          try write.insert(
            "Item", values: ["name": .text("\(name)-\(letter)"), "note": .text(name)])
        }
        try Self.set("last", to: name, write)
        if let previous {
          for item in try write.records(Query("Item")) where item["name"] == .text(previous) {
            try write.delete("Item", item.id)
          }
        }
      }
    }
    say("saved \(name)")
  }

  private static func set(_ key: String, to value: String, _ write: WriteTransaction) throws {
    let known = try write.records(Query("Setting")).first { $0["key"] == .text(key) }
    if let known {
      try write.update("Setting", known.id, values: ["value": .text(value)])
    } else {
      try write.insert("Setting", values: ["key": .text(key), "value": .text(value)])
    }
  }

  /// Takes all steps of one cycle, and says how it ended.
  ///
  /// - Returns: What was seen; nil where the cycle failed.
  func sync() async throws -> PeerReport? {
    var cycle = try await RunningCycle(
      store: store, transport: SmallPages(inner: transport), options: options, peerID: peer)
    var isGoingOn = true
    while isGoingOn, let effect = cycle.next {
      // Only the case's name: an effect may carry all records of a page.
      let name = Mirror(reflecting: effect).children.first?.label ?? "\(effect)"
      isGoingOn = await moment.around(name) { await cycle.step() }
    }
    let report = try await moment.around("end") { try await cycle.end(random: 0) }
    if let error = report.error {
      say("failed \(error.codeName): \(error.message)")
      return nil
    }
    say("synced")
    return report
  }

  /// Syncs until nothing is left to do, which a long way in pieces takes several cycles for.
  func catchUp() async throws -> Bool {
    for _ in 0..<20 {
      guard let report = try await sync() else { return false }
      if report.caughtUpAt != nil { return true }
    }
    return false
  }

  /// Removes the zone at the peer.
  func purge() async throws {
    let (row, device) = try await store.read { (try $0.peer(peer), try $0.deviceID()) }
    guard let zone = row?.zone else { return }
    try await moment.around("purge") {
      try await transport.purge(
        PurgeRequest(
          device: DeviceInfo(id: device, name: options.deviceName), zone: ZoneID(rawValue: zone)))
    }
    say("purged")
  }
}
