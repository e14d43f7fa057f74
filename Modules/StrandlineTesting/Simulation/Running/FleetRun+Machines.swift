import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport

// What happens to a device and its store's file.
extension FleetRun {
  static let template = "template"

  /// Adds a device with a store without records.
  func join(seed: UInt64, isLate: Bool = false) async throws {
    var random = SeededGenerator(seed: seed)
    if isLate { met.insert(.joins) }
    let index = addDevice(&random)
    try await begin(index, &random)
  }

  /// Adds a device that has no store yet.
  private func addDevice(_ random: inout SeededGenerator) -> Int {
    let number = devices.count + 1
    let name = "device\(number)"
    let clock = DeviceClock(time, aheadBy: Int64.random(in: -1000...1000, using: &random))
    let login = MemoryLogin(.available(Self.account))
    let panel = FaultPanel(seed: random.next())
    let time = time
    let transport = FaultyTransport(
      WatchedTransport(server: server, login: login), panel: panel,
      sleep: { time.advance(by: $0.wholeMilliseconds) })
    var options = SyncEngine.Options(
      deviceName: name, retention: RetentionPolicy(historyDays: nil))
    if plan.hazards.contains(.smallPages) {
      options.uploadLimit = Int.random(in: 2...8, using: &random)
      options.stagedChanges = Int.random(in: 3...12, using: &random)
    }
    if plan.hazards.contains(.massDeletes) {
      options.deleteLimit = DeleteLimit(records: 2, share: 0.2)
    }
    let writer = takeWriter()
    devices.append(
      SimulatedDevice(
        number: number, name: name, clock: clock, login: login, panel: panel,
        transport: transport, options: options, writer: writer, writers: [writer]))
    return devices.count - 1
  }

  private func takeWriter() -> Int {
    defer { nextWriter += 1 }
    return nextWriter
  }

  /// Gives a device an empty store with an identity that follows from the random source.
  private func begin(_ index: Int, _ random: inout SeededGenerator) async throws {
    let schema = schema(of: index)
    let file = try place.write(try await scene.templates.empty(schema), to: home(of: index))
    let client = try RawClient(path: file)
    let device = DeviceID.random(using: &random)
    let store = RecordID(milliseconds: 0, random: random.next(), more: random.next())
    let salt = Int64.random(in: 0..<0x4000, using: &random)
    try client.execute(
      """
      UPDATE strandline_meta SET value = '\(device)' WHERE key = 'device';
      UPDATE strandline_meta SET value = '\(store)' WHERE key = 'store';
      UPDATE strandline_clock SET salt = \(salt), seen = \((Self.start - 60_000) << 16);
      """)
    try await open(index)
    try await devices[index].store?.handleSwitch(.turnOn)
    try noteDurable(index)
  }

  private func home(of index: Int) -> String {
    "\(devices[index].number)/\(devices[index].generation)"
  }

  private func schema(of index: Int) -> Schema {
    devices[index].isUpgraded ? scene.newerSchema ?? scene.schema : scene.schema
  }

  /// Opens a device's store, and follows the cloud.
  func open(_ index: Int) async throws {
    let device = devices[index]
    let path = "\(place.path)/\(home(of: index))/store.sqlite"
    let store = try await Store.open(
      .file(path), schema: schema(of: index),
      options: StoreOptions(mayCreate: false, clock: device.clock.wall, readerCount: 1))
    let transport = device.transport
    let options = device.options
    let peer = try await store.administer { transaction in
      try transaction.followPeer(
        specification: transport.specification, zoneName: options.zoneName,
        environment: options.environment.rawValue)
    }
    devices[index].store = store
    devices[index].client = try RawClient(path: path)
    devices[index].peerID = peer.id
    devices[index].progress = .init()
  }

  /// Drops everything of a device's process, in the middle of whatever it did.
  func close(_ index: Int) {
    devices[index].cycle = nil
    devices[index].store?.close()
    devices[index].store = nil
    devices[index].client = nil
  }

  // MARK: Mishaps

  /// Ends the process; what was committed stays.
  func kill(_ index: Int) async throws {
    if devices[index].cycle != nil { counts.count("kills in the middle of a cycle") }
    close(index)
    try await open(index)
  }

  /// Puts a device's store back to what was durable last.
  func losePower(_ index: Int) async throws {
    guard let durable = devices[index].durable else { return }
    met.insert(.powerLoss)
    try await putBack(index, to: durable)
  }

  func backUpDevice(_ index: Int) throws {
    devices[index].backup = try devices[index].client?.copy()
  }

  func restoreDevice(_ index: Int) async throws {
    guard let backup = devices[index].backup else { return }
    counts.count("devices put back from a backup")
    met.insert(.deviceRestores)
    try await putBack(index, to: backup)
  }

  private func putBack(_ index: Int, to contents: Data) async throws {
    close(index)
    devices[index].generation += 1
    devices[index].durable = contents
    // What it had promised to nobody else it may do again in another way.
    devices[index].writer = takeWriter()
    _ = try place.write(contents, to: home(of: index))
    try await open(index)
    try forgetWhatIsLost()
  }

  /// Copies a device with its store; both go on.
  func cloneDevice(_ index: Int, _ random: inout SeededGenerator) async throws {
    guard devices.count < 6, let contents = try devices[index].client?.copy() else { return }
    counts.count("devices cloned")
    met.insert(.clones)
    server.noteTwins()
    let twin = addDevice(&random)
    devices[twin].isUpgraded = devices[index].isUpgraded
    devices[twin].writers.formUnion(devices[index].writers)
    devices[index].writer = takeWriter()
    _ = try place.write(contents, to: home(of: twin))
    try await open(twin)
    try noteDurable(twin)
  }

  /// Takes a device's store away; it begins anew as another device.
  func wipeDevice(_ index: Int, _ random: inout SeededGenerator) async throws {
    met.insert(.wipes)
    close(index)
    // A new store knows of no account, and would begin with whichever is signed in.
    devices[index].login.state = .available(Self.account)
    devices[index].generation += 1
    devices[index].backup = nil
    devices[index].writer = takeWriter()
    try await begin(index, &random)
    try forgetWhatIsLost()
  }

  func upgradeModel(_ index: Int) async throws {
    guard scene.newerSchema != nil, !devices[index].isUpgraded else { return }
    met.insert(.upgrades)
    devices[index].isUpgraded = true
    close(index)
    try await open(index)
  }

  /// Marks what no device and no server holds any more.
  func forgetWhatIsLost() throws {
    var holders = try devices.indices.map { try image(of: $0) }
    if let zone = try server.zone(of: Self.account) {
      holders.append(try server.states(of: Array(ledger.records.keys), in: zone.id))
    }
    ledger.keepOnly(heldBy: holders)
  }
}

extension Duration {
  var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
