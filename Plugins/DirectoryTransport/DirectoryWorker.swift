import StrandlineModels
import StrandlineTransport

/// Does the transport's work on the folder, one call after the other, on a queue of its own.
///
/// What it remembers is only a cache of immutable files and what this process has done; all else
/// is read from the folder at each call.
actor DirectoryWorker {
  /// A device's own part of a zone.
  struct OwnKey: Hashable {
    let zone: ZoneID
    let device: DeviceID
  }

  /// What this process knows of a device's own folder.
  struct OwnFolder {
    /// The files that this store has written or is about to write.
    var mine: Set<String> = []
    /// Those of them that stood in the folder.
    var published: Set<String> = []
  }

  private static let headerCacheLimit = 20_000

  let root: String
  let files: Files
  let clock: WallClock
  let limits: DirectoryLimits
  /// Random numbers for ids of zones and names of temporary files.
  let random: @Sendable () -> UInt64
  private let executor = QueueExecutor(label: "strandline.directory")

  /// The folders of the zones that were opened or found.
  var folderNames: [ZoneID: String] = [:]
  var own: [OwnKey: OwnFolder] = [:]
  var staged: [OwnKey: StagedGroup] = [:]
  /// The devices' names, as their files gave them.
  var deviceNames: [DeviceID: String] = [:]
  /// How far the writers of the segments that were read had read, and when they said so.
  var vectors: [ZoneID: [DeviceID: SeenVector]] = [:]
  /// The ends of own groups, by the paths of their files.
  var ends: [String: AcceptedGroup] = [:]
  /// What was acknowledged to a store under an identity that it had to give up.
  var acknowledged: [OwnKey: Int64] = [:]
  /// Segments that were read for their headers in this call.
  var held = HeldSegments()
  /// The position files that this process has written.
  var positionsWritten: [OwnKey: PositionFile] = [:]
  /// When the device's own part was tidied last.
  var tidied: [OwnKey: Tidied] = [:]
  /// Why the device's own files could not be gathered or tidied, if they could not.
  var untidiness: [OwnKey: String] = [:]
  /// What was done and not told yet.
  private var work: [TransportWork] = []
  private var headers: [String: Segment.Header] = [:]
  /// The greatest stamp in each segment whose header is kept.
  private var greatestStamps: [String: Stamp] = [:]
  /// The copies that carriers made of segments, see ``listing(of:in:)``.
  var copies = SegmentCopies()

  init(
    root: String, clock: WallClock, limits: DirectoryLimits,
    random: @escaping @Sendable () -> UInt64, observe: @escaping WriteObserver,
    conditions: FileConditions
  ) {
    self.root = root
    files = Files(root: root, observe: observe, conditions: conditions)
    self.clock = clock
    self.limits = limits
    self.random = random
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  private static let workLimit = 100

  /// Keeps for the event log what was done.
  func note(_ done: TransportWork) {
    if work.count < Self.workLimit { work.append(done) }
  }

  func takeWork() -> [TransportWork] {
    defer { work = [] }
    return work
  }

  /// The header of a segment that was verified before.
  func knownHeader(_ path: String) -> Segment.Header? { headers[path] }

  /// The greatest stamp in a segment that was verified before.
  func knownStamp(_ path: String) -> Stamp? { greatestStamps[path] }

  /// Keeps a verified header, and the greatest stamp beside it; their file never changes.
  func keep(_ header: Segment.Header, greatest: Stamp, of path: String) {
    if headers.count >= Self.headerCacheLimit {
      headers.removeAll()
      greatestStamps.removeAll()
    }
    headers[path] = header
    greatestStamps[path] = greatest
    deviceNames[header.writer.id] = header.writer.shownName
  }

  /// Forgets a header whose file is not what it was any more.
  func forgetHeader(_ path: String) {
    headers[path] = nil
    greatestStamps[path] = nil
  }

  /// Stops where the transport's folder is not there.
  func requireRoot() throws(TransportError) {
    switch try files.kind(root) {
    case .folder: return
    case nil: throw .noFolder(root)
    case .file, .other: throw .notAFolder(root)
    }
  }
}
