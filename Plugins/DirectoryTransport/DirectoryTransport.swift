import Foundation
public import StrandlineModels
public import StrandlineTransport

/// Carries changes through a folder that something else carries: a share, a sync tool, a stick.
///
/// Each device writes only files of its own, which never change once they have their name, and
/// reads those of the others in whatever order they arrive. Nothing depends on locks, clocks or
/// modification times, and a file that is not there means only that it is not there.
///
/// That a group was accepted means that it lies in the folder; whether it left this disk is not
/// known before another device reports that it has read it.
public struct DirectoryTransport: Transport {
  /// The account of every folder: whoever can read it has it.
  static let accountID = "folder"

  private let worker: DirectoryWorker
  private let hintSource: FolderHints
  /// The kind and the folder: `directory:/mnt/share`.
  public let specification: String

  /// Makes a transport over a folder, which need not be there before a zone is opened.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - clock: The time of day, for what people are told.
  public init(path: String, clock: WallClock = .system) {
    self.init(path: path, clock: clock, limits: DirectoryLimits())
  }

  /// Makes a transport whose limits, random numbers and writing can be watched and changed.
  package init(
    path: String, clock: WallClock = .system, limits: DirectoryLimits,
    random: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) },
    observe: @escaping WriteObserver = { _, _ throws(TransportError) in },
    conditions: FileConditions = FileConditions()
  ) {
    // Absolute and in one spelling: a relative path means another folder elsewhere, and two
    // spellings would be two peers.
    let root = URL(fileURLWithPath: path).standardizedFileURL.path
    specification = "\(TransportKind.directory.name):\(root)"
    worker = DirectoryWorker(
      root: root, clock: clock, limits: limits, random: random, observe: observe,
      conditions: conditions)
    hintSource = FolderHints(root: root, conditions: conditions)
  }

  /// Acceptance proves that the changes lie in the folder, no more.
  public var traits: TransportTraits {
    TransportTraits(acknowledgement: .published, hasAccounts: false)
  }

  /// A folder has no accounts; whoever can read it has the one that there is.
  public func account() async throws(TransportError) -> AccountState {
    .available(Self.accountID)
  }

  /// Opens a zone in the folder, and makes it where nothing is known or there of it.
  ///
  /// The caller says by going on that its log holds what ``ZoneDescription/lastAccepted`` names:
  /// this transport then takes all that lies in the device's own folder for the store's own.
  public func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await worker.open(request)
  }

  /// Takes one page of a group, and publishes the group with its last.
  ///
  /// - Throws: Code `deviceRestored` where the device's own folder shows that this store was
  ///   restored from a backup or cloned; nothing was published then.
  public func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await worker.send(page)
  }

  /// Fetches what the others have published after a cursor and can be applied now.
  public func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await worker.fetch(request)
  }

  /// Writes down how far this device has read, and tells how far the others have read it.
  public func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    try await worker.exchangeReceipts(receipt)
  }

  /// Leaves word that the zone was purged, and removes what Strandline has written in it.
  public func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await worker.purge(request)
  }

  /// Tells when the folder's listing has changed.
  public func hints() -> AsyncStream<Hint> {
    hintSource.stream()
  }

  /// Tells which of the device's own groups were gathered.
  public func takeWork() async -> [TransportWork] { await worker.takeWork() }
}

extension TransportKind {
  /// A folder that something else carries: `directory:PATH`.
  public static var directory: TransportKind {
    TransportKind(name: "directory", addressForm: "directory:PATH") {
      configuration throws(TransportError) in
      let path = configuration.specification.address
      guard !path.isEmpty else {
        throw TransportError(
          .unknownTransport, "Could not use transport 'directory', the folder is missing.",
          advice: "Write directory:PATH.", remedy: .stop)
      }
      return DirectoryTransport(path: path, clock: configuration.clock)
    }
  }
}
