import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

/// A time of day that tests move.
final class TestTime: Sendable {
  private let now = Mutex<Int64>(1_800_000_000_000)
  private let ahead = Mutex<[String: Int64]>([:])

  func clock(of name: String) -> WallClock {
    WallClock { self.now.withLock { $0 } + self.ahead.withLock { $0[name] ?? 0 } }
  }

  func advance(_ milliseconds: Int64 = 1000) { now.withLock { $0 += milliseconds } }

  /// Sets a device's clock wrong.
  func set(_ name: String, ahead milliseconds: Int64) {
    ahead.withLock { $0[name] = milliseconds }
  }
}

extension DirectoryLimits {
  /// Limits under which nothing is gathered or given up by itself.
  static var calm: DirectoryLimits {
    var limits = DirectoryLimits()
    limits.looseGroups = 1000
    limits.closeAfter = .max
    return limits
  }

  /// Limits under which every cycle that can gather groups does.
  static var tidy: DirectoryLimits {
    var limits = DirectoryLimits()
    limits.looseGroups = 2
    limits.replacedStays = 0
    return limits
  }
}

/// A device with a real store and a real engine over a folder.
struct FolderDevice: Sendable {
  let name: String
  let store: Store
  let engine: SyncEngine
  let folder: String
  private let limits: DirectoryLimits

  /// Makes a device over a folder.
  ///
  /// - Parameters:
  ///   - name: The device's name.
  ///   - folder: The folder.
  ///   - time: Its clock.
  ///   - limits: When it gathers and gives up.
  ///   - file: The store's file; without one it is in memory.
  ///   - uploadLimit: The records of a group beyond which an upload goes in pieces.
  /// - Throws: What opening the store throws.
  init(
    _ name: String, _ folder: String, _ time: TestTime, _ limits: DirectoryLimits = .calm,
    file: String? = nil, uploadLimit: Int = 50_000
  ) async throws {
    self.name = name
    self.folder = folder
    self.limits = limits
    let clock = time.clock(of: name)
    store = try await Store.open(
      file.map { .file($0) } ?? .memory, schema: try SampleSchema.todo(),
      options: StoreOptions(clock: clock, readerCount: 1))
    engine = SyncEngine(
      store: store, transport: DirectoryTransport(path: folder, clock: clock, limits: limits),
      options: SyncEngine.Options(deviceName: name, uploadLimit: uploadLimit))
  }

  private init(again other: FolderDevice, _ time: TestTime) {
    (name, store, folder, limits) = (other.name, other.store, other.folder, other.limits)
    engine = SyncEngine(
      store: store,
      transport: DirectoryTransport(path: folder, clock: time.clock(of: name), limits: limits),
      options: SyncEngine.Options(deviceName: name))
  }

  /// The same device after another start, which remembers nothing of the folder.
  func startedAgain(_ time: TestTime) async -> FolderDevice {
    await engine.stop()
    return FolderDevice(again: self, time)
  }

  /// One cycle; its failure is the test's.
  @discardableResult
  func sync() async throws -> PeerReport {
    let report = try await engine.syncNow()
    if let error = report.error { throw FolderDeviceError(device: name, error: error) }
    return report
  }

  func id() async throws -> DeviceID { try await store.read { try $0.deviceID() } }

  func insert(_ id: RecordID, _ name: String) async throws {
    try await store.write {
      try $0.insert("TodoItem", id: id, values: ["name": .text(name)])
    }
  }

  func rename(_ id: RecordID, _ name: String) async throws {
    try await store.write { try $0.update("TodoItem", id, values: ["name": .text(name)]) }
  }

  func delete(_ id: RecordID) async throws {
    try await store.write { try $0.delete("TodoItem", id) }
  }

  /// The names of all items by their ids.
  func names() async throws -> [RecordID: String] {
    let records = try await store.read { try $0.records(Query("TodoItem")) }
    return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0["name"].text ?? "") })
  }

  /// What lost, as this device lists it.
  func lost() async throws -> Set<String> {
    Set(try await store.conflictItems(ownName: name).map { $0.lostValue.text ?? "" })
  }

  /// What the folder is known to lack and what else is said of it, from a fetch of its own.
  func said() async throws -> (waitingFor: [String], notices: [String]) {
    let device = try await id()
    let row = try await store.read { try $0.peers().first }
    guard let zone = row?.zone else { return ([], []) }
    let page = try await engine.transport.fetch(
      FetchRequest(
        device: DeviceInfo(id: device, name: name), zone: ZoneID(rawValue: zone), proof: nil,
        cursor: (row?.cursor).map(Cursor.init), limit: 1000))
    return (page.waitingFor, page.notices)
  }

  /// The segment files of a device, by default of this one.
  func segments(of other: DeviceID? = nil) async throws -> [String] {
    let owner = if let other { other } else { try await id() }
    return try folder.segments(of: owner)
  }
}

struct FolderDeviceError: Error, CustomStringConvertible {
  let device: String
  let error: any ExplainedError

  var description: String { "\(device): \(error.codeName): \(error.message)" }
}

/// Records by number, the same on every device.
func record(_ number: UInt64) -> RecordID {
  RecordID(milliseconds: 1_000, random: number, more: number)
}

extension String {
  /// All files below a folder, by their paths in it.
  func allFiles() throws -> [String] {
    guard FileManager.default.fileExists(atPath: self) else { return [] }
    return try FileManager.default.subpathsOfDirectory(atPath: self).filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: self + "/" + $0, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// The paths of a device's segment files in a folder.
  func segments(of device: DeviceID) throws -> [String] {
    try allFiles().filter { $0.hasSuffix(".seg") && $0.contains("/\(device)/") }
  }

  /// The size of all files below a folder.
  func totalSize() throws -> Int {
    try allFiles().reduce(0) { total, file in
      let attributes = try FileManager.default.attributesOfItem(atPath: self + "/" + file)
      return total + (attributes[.size] as? Int ?? 0)
    }
  }

  func remove(_ file: String) throws {
    try FileManager.default.removeItem(atPath: self + "/" + file)
  }

  /// Copies all files to another folder, whatever stands there.
  func carry(to other: String) throws {
    for file in try allFiles() {
      let target = URL(fileURLWithPath: other + "/" + file)
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(contentsOf: URL(fileURLWithPath: self + "/" + file)).write(to: target)
    }
  }
}

extension TemporaryFolder {
  /// The path for a store's file in a folder that is made for it.
  func storeFile(_ folder: String) throws -> String {
    try makeFolder(folder)
    return path(folder + "/store.sqlite")
  }

  /// Copies a folder with all in it.
  func copy(_ folder: String, to other: String) throws {
    try FileManager.default.copyItem(atPath: path(folder), toPath: path(other))
  }

  /// Puts a copy in a folder's place.
  func replace(_ folder: String, by copy: String) throws {
    try FileManager.default.removeItem(atPath: path(folder))
    try FileManager.default.copyItem(atPath: path(copy), toPath: path(folder))
  }
}
