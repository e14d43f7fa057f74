import Foundation
package import Strandline
import StrandlineFaults

/// What a session holds: the open devices, how results are shown, and whom to ask.
@MainActor package final class Session {
  let options: Options
  let registry: Registry
  let streams: StandardStreams
  /// The environment that the program was started in.
  let variables: [String: String]
  /// The clock of the machine; the present device's may be another one.
  let machineClock: WallClock
  var home: Home
  var schema: Schema
  var device: Device
  var devices: [String: Device] = [:]
  var mode: OutputMode = .table
  /// How many rows of a list are shown where the list has no limit of its own.
  var rowLimit = RowLimit.byStream
  /// Whether it is told how long each command took.
  var isTiming = false
  /// Whether results go to a file for the next command only.
  var isOutputOnce = false
  var shouldQuit = false
  /// Asks a question at the terminal; nil where nobody can be asked.
  var ask: ((String) async -> Bool)?
  /// Reads a line at the terminal; nil where there is none.
  var readLine: (@MainActor (String) async -> LineResult)?
  /// Lends the terminal to a program while the body runs it; nil where there is none.
  var lend: (@MainActor (@MainActor () async throws -> Int32) async throws -> Int32)?
  /// Whether the session stays open, so that devices sync in the background.
  var isInteractive = false
  /// Told when something was seen that the prompt may show.
  var observe: (@MainActor (Device, PeerReport) async -> Void)?
  /// What the devices of this session follow, by the transports' own words once they are made.
  var peers: [Configuration.Peer]

  private let ownStyle: Style

  private init(
    options: Options, registry: Registry, streams: StandardStreams, home: Home, schema: Schema,
    device: Device, variables: [String: String], clock: WallClock, style: Style
  ) {
    self.options = options
    self.registry = registry
    self.streams = streams
    self.home = home
    self.schema = schema
    self.device = device
    self.variables = variables
    machineClock = clock
    ownStyle = style
    peers = home.peers
  }

  /// Opens the home and its first device.
  package static func open(
    _ options: Options, registry: Registry, streams: StandardStreams,
    variables: [String: String], clock: WallClock = .system
  ) async throws -> Session {
    let home = try Home(options: options, variables: variables)
    let schema = try home.loadSchema(mayWrite: !options.isReadOnly && !options.isInMemory)
    let style = Style(
      options.color, isTerminal: streams.outputIsTerminal, environment: variables)
    let first = try await openDevice(
      home.device, options: options, home: home, schema: schema, registry: registry, clock: clock)
    let session = Session(
      options: options, registry: registry, streams: streams, home: home,
      schema: first.store.schema,
      device: first, variables: variables, clock: clock, style: style)
    session.devices[first.name] = first
    try await session.connect(first)
    return session
  }

  private static func openDevice(
    _ name: String, options: Options, home: Home, schema: Schema, registry: Registry,
    clock: WallClock
  ) async throws -> Device {
    try Home.check(device: name)
    let location: StoreLocation = options.isInMemory ? .memory : .file(home.storePath(of: name))
    var engine = SyncEngine.Options(
      zoneName: home.zone, environment: home.environment, deviceName: name)
    if let milliseconds = home.schedule.debounceMilliseconds {
      engine.debounce = .milliseconds(milliseconds)
    }
    if let seconds = home.schedule.everySeconds {
      engine.interval = .seconds(seconds)
    }
    engine.retention = RetentionPolicy(home.retention)
    let labClock = LabClock(clock)
    do {
      let synced = try await SyncedStore.open(
        location, schema: schema, registry: registry, options: engine,
        storeOptions: StoreOptions(isReadOnly: options.isReadOnly, clock: labClock.clock))
      return Device(name: name, synced: synced, labClock: labClock)
    } catch let error as StorageError where error.code == .notADatabase {
      throw CommandError(
        error.codeName,
        "Could not open '\(home.storePath(of: name))', the file is not a database.",
        advice: error.advice, exitCode: .store, cause: error)
    }
  }

  /// Refuses to open a file that an open store has open, since its locks would end with that.
  func requireForeignFile(
    _ path: String, at token: Token? = nil, exitCode: ExitCode = .failed
  ) throws(CommandError) {
    guard let owner = devices.values.first(where: { $0.store.owns(fileAt: path) }) else { return }
    let message = "Could not read '\(path)', it belongs to the open store of \(owner.name)."
    let advice = "Copy it when no program has the store open, and read the copy."
    if let token {
      throw CommandError("fileOfStore", message, advice: advice, at: token, exitCode: exitCode)
    }
    throw CommandError("fileOfStore", message, advice: advice, exitCode: exitCode)
  }

  /// The time of day as the present device sees it.
  var clock: WallClock { device.labClock.clock }

  /// The colours; none in a file.
  var style: Style { streams.isRedirected ? .plain : ownStyle }

  /// Runs a program that uses the terminal.
  func lendTerminal(
    _ run: @MainActor @Sendable () async throws -> Int32
  ) async throws -> Int32 {
    if let lend { return try await lend(run) }
    return try await run()
  }

  // MARK: Devices and transports

  /// Whether devices may sync in this run.
  var maySync: Bool { !options.isLocal && !options.isReadOnly }

  /// Switches to a device, and makes it where it is new.
  ///
  /// - Returns: Whether it is new.
  func use(device name: String) async throws -> Bool {
    if let open = devices[name] {
      device = open
      return false
    }
    let isNew = options.isInMemory || !home.localDevices().contains(name)
    let opened = try await Self.openDevice(
      name, options: options, home: home, schema: schema, registry: registry,
      clock: machineClock)
    devices[name] = opened
    device = opened
    try await connect(opened)
    return isNew
  }

  /// Brings the present device's store to another model; when that fails, nothing has changed.
  func migrate(to model: Schema) async throws {
    let old = device
    let opened = try await Self.openDevice(
      old.name, options: options, home: home, schema: model, registry: registry,
      clock: machineClock)
    opened.labClock.offset = old.labClock.offset
    schema = model
    devices[old.name] = opened
    device = opened
    await old.close()
    try await connect(opened)
  }

  /// Begins to sync in the background, for a session that stays open.
  func startBackground(_ device: Device) {
    if isInteractive, options.automatic != false { keepSyncing(device) }
  }

  /// Syncs the present device while a command shows what comes, also in a run that ends with it.
  func whileSyncing(_ work: () async throws -> Void) async throws {
    let device = device
    let wasSyncing = device.background != nil
    keepSyncing(device)
    defer {
      if !wasSyncing {
        device.background?.cancel()
        device.background = nil
      }
    }
    try await work()
  }

  private func keepSyncing(_ device: Device) {
    guard device.background == nil, maySync else { return }
    let synced = device.synced
    device.background = Task { [weak self] in
      guard let tell = self?.tell else { return }
      await synced.run { report in await tell(report, device) }
    }
  }

  private func tell(_ report: PeerReport, of device: Device) async {
    await observe?(device, report)
  }

  package func close() async {
    for device in devices.values { await device.close() }
  }
}
