import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTesting

/// Devices with real stores and engines, each with a copy of the folder that a copier carries.
///
/// Everything follows from the seed: what is edited, when each device syncs, what the carrier does
/// wrong, which device is put back, copied or lost. Time is virtual.
actor FolderFleet {
  /// One device, with its store and its copy of the folder.
  struct Device {
    let name: String
    /// The folder that holds its store's homes; each restore begins a new one.
    let place: String
    var generation = 0
    let folder: String
    let copy: Int
    let clock: WallClock
    let options: SyncEngine.Options
    let limits: DirectoryLimits
    let failures: PublishFailures
    var isOnline = true
    var isDead = false
    var backup: Backup?
    var synced: SyncedStore?

    var home: String { "\(place)/\(generation)" }
  }

  /// A device as it once was.
  struct Backup {
    let store: StoreFiles
    let folder: FolderCopier.Snapshot?
  }

  private let executor = QueueExecutor(label: "strandline.fleet")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  let place: FleetPlace
  let template: StoreFiles
  let schema: Schema
  let copier: FolderCopier
  let time = VirtualTime()
  let editor: RandomEditor
  var random: SeededGenerator
  var devices: [Device] = []
  /// What happened, for tests that ask whether everything did.
  var counts = FleetCounts()

  init(seed: UInt64, schema: Schema, place: FleetPlace, template: StoreFiles) {
    var random = SeededGenerator(seed: seed)
    self.place = place
    self.template = template
    self.schema = schema
    copier = FolderCopier(seed: random.next(), controls: .faulty)
    editor = RandomEditor(schema: schema, random: &random)
    self.random = random
  }

  // MARK: Devices

  /// Lets some devices begin, and meet in the folder once.
  func begin(devices count: Int) async throws {
    for _ in 0..<count { try await join() }
    // One device makes the zone, or two do that have not met yet.
    let makers = count > 2 && Int.random(in: 0..<3, using: &random) == 0 ? 2 : 1
    for index in 0..<makers { try await sync(index) }
    // One more round than files need, since the second meets what the first has answered.
    for _ in 0..<3 {
      try await copier.carryEverything()
      for index in devices.indices { try await sync(index) }
    }
  }

  /// Adds a device with an empty folder and a store without records.
  func join() async throws {
    let number = devices.count + 1
    let folder = try place.folder("\(number)/folder")
    let copy = try await copier.add(folder)
    try addDevice(number, folder: folder, copy: copy)
    let home = try makeHome(of: number - 1)
    try template.write(to: home)
    try StoreFiles.identify(home, &random)
    try await open(number - 1)
  }

  func addDevice(_ number: Int, folder: String, copy: Int) throws {
    let isUploadingInPieces = Int.random(in: 0..<4, using: &random) == 0
    let name = "device\(number)"
    devices.append(
      Device(
        name: name, place: try place.folder("\(number)/store"), folder: folder, copy: copy,
        clock: time.clock(aheadBy: Int64.random(in: -1000...1000, using: &random)),
        options: SyncEngine.Options(
          deviceName: name, uploadLimit: isUploadingInPieces ? 4 : 50_000),
        limits: drawLimits(),
        failures: PublishFailures(seed: random.next())))
  }

  /// Small groups of several files, and early compaction, on some devices.
  private func drawLimits() -> DirectoryLimits {
    var limits = DirectoryLimits(
      partBytes: Int.random(in: 0..<3, using: &random) == 0 ? 300 : 8 << 20)
    if Bool.random(using: &random) { limits.looseGroups = 2 }
    return limits
  }

  func makeHome(of index: Int) throws -> String {
    try FileManager.default.createDirectory(
      atPath: devices[index].home, withIntermediateDirectories: true)
    return devices[index].home
  }

  /// Opens a device's store, and follows the folder with a transport that knows nothing yet.
  func open(_ index: Int) async throws {
    let device = devices[index]
    let synced = try await SyncedStore.open(
      .file(device.home + "/" + StoreFiles.name), schema: schema, registry: Registry([]),
      options: device.options,
      storeOptions: StoreOptions(mayCreate: false, clock: device.clock, readerCount: 1))
    let failures = device.failures
    try await synced.use(
      CarriedTransport(
        base: DirectoryTransport(
          path: device.folder, clock: device.clock,
          limits: device.limits, random: { failures.next() },
          observe: { step, path throws(TransportError) in try failures.observe(step, path) })))
    devices[index].synced = synced
  }

  func close(_ index: Int) async {
    await devices[index].synced?.close()
    devices[index].synced = nil
  }

  /// The devices that are not gone for good.
  var living: [Int] { devices.indices.filter { !devices[$0].isDead } }

  // MARK: Steps

  /// Lets a random device do one random thing, or the carrier.
  func step() async throws {
    pass()
    guard let index = living.randomElement(using: &random) else { return }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<40: try await edit(index)
    case 40..<62: try await sync(index)
    case 62..<88: try await carry()
    case 88..<92: try await connect(index, !devices[index].isOnline)
    case 92..<96:
      await close(index)
      try await open(index)
      counts.restarts += 1
    default:
      let rate = [0, 0.05, 0.3][Int.random(in: 0..<3, using: &random)]
      devices[index].failures.setRate(rate)
    }
  }

  /// Lets some time pass: mostly little, now and then an hour, and some days seldom.
  private func pass() {
    let longest: Int64 =
      switch Int.random(in: 0..<50, using: &random) {
      case 0: 4 * 86_400_000
      case 1..<4: 3_600_000
      case 4..<8: 60_000
      default: 40
      }
    time.advance(by: Int64.random(in: 0...longest, using: &random))
  }

  func carry() async throws {
    for _ in 0...Int.random(in: 0..<3, using: &random) { try await copier.step() }
  }

  func connect(_ index: Int, _ isOnline: Bool) async throws {
    devices[index].isOnline = isOnline
    await copier.setOnline(isOnline, copy: devices[index].copy)
    if !isOnline { counts.offline += 1 }
  }

  func edit(_ index: Int) async throws {
    let edits = Int.random(in: 0..<3, using: &random) == 0 ? 4 : 1
    let seed = random.next()
    let editor = editor
    try await devices[index].synced?.store.write { write in
      var random = SeededGenerator(seed: seed)
      for _ in 0..<edits { try editor.edit(write, &random) }
    }
    counts.edits += 1
  }

  /// Lets a device sync; an error that the cycle reports is part of the game.
  @discardableResult
  func sync(_ index: Int) async throws -> SyncReport? {
    guard let synced = devices[index].synced else { return nil }
    let report = try await synced.syncNow()
    counts.syncs += 1
    if let error = report.error { counts.errors[error.codeName, default: 0] += 1 }
    return report
  }
}

/// What the devices of some fleets have done.
struct FleetCounts: Sendable {
  var edits = 0
  var syncs = 0
  var restarts = 0
  var offline = 0
  var failures = 0
  var errors: [String: Int] = [:]
  var turns: [FolderScenario.Turn: Int] = [:]
  var copies = CopyCounts()

  static func += (left: inout FleetCounts, right: FleetCounts) {
    left.edits += right.edits
    left.syncs += right.syncs
    left.restarts += right.restarts
    left.offline += right.offline
    left.failures += right.failures
    left.errors.merge(right.errors, uniquingKeysWith: +)
    left.turns.merge(right.turns, uniquingKeysWith: +)
    left.copies += right.copies
  }
}
