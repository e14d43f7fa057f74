import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import StrandlineWireFormat

/// How large a folder is, against the data that its devices hold.
struct FolderMeasure: CustomStringConvertible {
  let devices: Int
  let edits: Int
  private(set) var cycles = 0
  private(set) var files = 0
  private(set) var bytes = 0
  /// The number of segment files of the writer that has most.
  private(set) var filesOfWriter = 0
  /// The greatest number of files and bytes that was seen on the way.
  private(set) var peakFiles = 0
  private(set) var peakBytes = 0
  /// The living records as one exported batch.
  private(set) var liveBytes = 0

  var description: String {
    """
    \(edits) edits by \(devices) device(s), \(cycles) cycles: \(files) files with \(bytes) bytes, \
    at most \(filesOfWriter) files a writer; on the way at most \(peakFiles) files with \
    \(peakBytes) bytes; live data \(liveBytes) bytes.
    """
  }

  /// Lets some devices together make so many edits of a few records, over one folder, each of
  /// which syncs after every `interval` of its edits.
  static func run(
    devices count: Int, edits: Int, records: Int, interval: Int
  ) async throws -> FolderMeasure {
    var measure = FolderMeasure(devices: count, edits: edits)
    let place = try FleetPlace()
    let folder = try place.folder("folder")
    let schema = try SampleSchema.todo()
    var random = SeededGenerator(seed: UInt64(count))
    var devices: [SyncedStore] = []
    for number in 1...count {
      let device = try await SyncedStore.open(
        .memory, schema: schema, registry: Registry([]),
        options: SyncEngine.Options(deviceName: "device\(number)"),
        storeOptions: StoreOptions(readerCount: 1))
      try await device.use(DirectoryTransport(path: folder))
      devices.append(device)
    }
    let ids = (0..<records).map { RecordID(milliseconds: Int64($0), random: 1, more: 2) }
    try await devices[0].store.write { write in
      for id in ids { try write.insert("TodoItem", id: id, values: ["name": .text("item")]) }
    }
    for _ in 0..<2 {
      for device in devices { try await measure.sync(device, folder) }
    }
    var made = 0
    while made < edits {
      for device in devices where made < edits {
        let seed = random.next()
        try await device.store.write { write in
          var random = SeededGenerator(seed: seed)
          for _ in 0..<interval {
            guard let id = ids.randomElement(using: &random) else { continue }
            try write.update("TodoItem", id, values: Self.change(&random))
          }
        }
        made += interval
        try await measure.sync(device, folder)
      }
    }
    for _ in 0..<3 {
      for device in devices { try await measure.sync(device, folder) }
    }
    try measure.look(at: folder)
    measure.liveBytes = try await devices[0].store.read(Self.liveBytes)
    for device in devices { await device.close() }
    return measure
  }

  private static func change(_ random: inout SeededGenerator) -> [String: Value] {
    let number = Int64.random(in: 0..<1_000_000, using: &random)
    switch number % 3 {
    case 0: return ["name": .text("item \(number)")]
    case 1: return ["priority": .integer(number)]
    default: return ["done": .integer(number % 2)]
    }
  }

  private mutating func sync(_ device: SyncedStore, _ folder: String) async throws {
    let report = try await device.syncNow()
    if let error = report.error { throw error }
    cycles += 1
    if cycles.isMultiple(of: 20) { try look(at: folder) }
  }

  private mutating func look(at folder: String) throws {
    files = 0
    bytes = 0
    var perWriter: [Substring: Int] = [:]
    let paths =
      FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    for path in paths {
      var status = stat()
      guard lstat(folder + "/" + path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        continue
      }
      files += 1
      bytes += Int(status.st_size)
      if path.hasSuffix(".seg"), let slash = path.lastIndex(of: "/") {
        perWriter[path[..<slash], default: 0] += 1
      }
    }
    filesOfWriter = perWriter.values.max() ?? 0
    peakFiles = max(peakFiles, files)
    peakBytes = max(peakBytes, bytes)
  }

  /// The size of everything that lives in a store, as one batch would carry it.
  private static func liveBytes(_ read: ReadTransaction) throws -> Int {
    let reader = try DeltaReader(read)
    let pending = try read.pendingChanges(after: 0, for: -1)
    let deltas = try pending.records.compactMap { try reader.delta(for: $0.whole) }
      .filter { $0.birth != nil }
    return Batch(deltas: deltas).encode().count
  }
}
