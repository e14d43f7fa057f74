import Strandline
import StrandlineFaults

/// A device that does what a verification asks: an app with a store, a visible list and a link
/// to the peer that can fail.
@MainActor final class VerifiedDevice {
  private let registry: Registry
  private let panel = FaultPanel(seed: 1)
  private let hold = CallHold()
  private var opened: Opened?
  private var syncing: Task<Void, Never>?
  private var hanging: Task<CycleSight, any Error>?

  /// The name under which history notes what the visible list has shown.
  static let consumer = "visible list"

  struct Opened {
    let synced: SyncedStore
    let model: GateModel
    let view: AppStore<[Record]>
    let coordinator: AppCoordinator
    let viewChanges: AsyncStream<Void>
    let viewTask: Task<Void, Never>
  }

  init(registry: Registry) {
    self.registry = registry
  }

  /// Does a task; what goes wrong is an answer, too.
  func answer(_ task: DeviceTask) async -> DeviceAnswer {
    do {
      return try await perform(task)
    } catch {
      return .failed(GateFailure(error))
    }
  }

  private func perform(_ task: DeviceTask) async throws -> DeviceAnswer {
    switch task {
    case .open(let opening): try await open(opening)
    case .insert(let texts): return .saved(try await insert(texts))
    case .edit(let id, let text): try await edit(id, text)
    case .delete(let id): try await delete(id)
    case .toggle(let id, let times): try await toggle(id, times)
    case .sync: return .cycle(try await cycle())
    case .startSyncing: try await startSyncing()
    case .stopSyncing: await stopSyncing()
    case .enterBackground: try await device().coordinator.enterBackground()
    case .becomeActive: try await device().coordinator.becomeActive()
    case .setLink(let isUp): panel.update { $0.isDown = !isUp }
    case .setSignedIn(let isIn): panel.update { $0.account = isIn ? nil : .signedOut }
    case .failOnce: panel.inject(.loseReply)
    case .hang(let fetches): try await hang(after: fetches)
    case .goOn: return .cycle(try await goOn())
    case .waitForView(let id, let text): try await waitForView(id, text)
    case .look(let id): return .seen(try await look(id))
    case .contents: return .contents(try await contents())
    case .close: await close()
    }
    return .done
  }

  /// What is open.
  ///
  /// - Throws: `notOpen` before the first task.
  func device() throws(GateFailure) -> Opened {
    guard let opened else {
      throw GateFailure(
        "notOpen", "Could not go on, the device's store is not open.", advice: "Open it first.")
    }
    return opened
  }

  // MARK: Lifetime

  private func open(_ opening: DeviceOpening) async throws {
    let schema = try Schema(parsing: opening.model)
    guard let model = GateModel(schema) else {
      throw GateFailure(
        "nothingToVerify", "Could not begin, the model has no synced entity with a text.",
        advice: "Add one to the model.")
    }
    var options = SyncEngine.Options(
      zoneName: opening.zone, environment: opening.isProduction ? .production : .development,
      deviceName: opening.name, interval: .seconds(2))
    options.debounce = .milliseconds(50)
    let synced = try await SyncedStore.open(
      .file(opening.store), schema: schema, registry: registry, options: options)
    if let peer = opening.peer, let made = try await registry.make(peer.configuration) {
      let held = HeldTransport(inner: made, hold: hold, pageRecords: opening.pageRecords)
      try await synced.use([
        SyncedStore.Peer(FaultyTransport(held, panel: panel), account: peer.account)
      ])
    }
    show(synced, model)
  }

  /// Begins to show the list, which follows the store from now on.
  private func show(_ synced: SyncedStore, _ model: GateModel) {
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let view = AppStore(
      synced.store, identifier: "list", consumer: Self.consumer, showing: Query(model.entity))
    view.hooks.afterReload = { _ in change.yield() }
    let coordinator = AppCoordinator(synced, isActive: true, settling: .zero)
    coordinator.add(view)
    opened = Opened(
      synced: synced, model: model, view: view, coordinator: coordinator, viewChanges: changes,
      viewTask: Task { await view.run() })
  }

  /// Closes the store between two steps of whatever goes on.
  func close() async {
    hanging?.cancel()
    await stopSyncing()
    hold.release()
    guard let opened else { return }
    self.opened = nil
    await opened.synced.close()
    opened.viewTask.cancel()
    await opened.viewTask.value
    _ = await hanging?.result
    hanging = nil
  }

  // MARK: Editing

  private func insert(_ texts: [String]) async throws -> [RecordID] {
    let device = try device()
    let model = device.model
    return try await device.view.save { write in
      try texts.map { try write.insert(model.entity, values: [model.text: .text($0)]) }
    }
  }

  private func edit(_ id: RecordID, _ text: String) async throws {
    let device = try device()
    let model = device.model
    try await device.view.save {
      try $0.update(model.entity, id, values: [model.text: .text(text)])
    }
  }

  private func delete(_ id: RecordID) async throws {
    let device = try device()
    let entity = device.model.entity
    try await device.view.save { try $0.delete(entity, id) }
  }

  private func toggle(_ id: RecordID, _ times: Int) async throws {
    let device = try device()
    let model = device.model
    for _ in 0..<max(0, times) {
      try await device.view.save { write in
        let isOn = model.isOn(try write.record(model.entity, id)?[model.toggle] ?? .null)
        try write.update(model.entity, id, values: [model.toggle: model.value(isOn: !isOn)])
      }
    }
  }

  // MARK: Syncing

  private func cycle() async throws -> CycleSight {
    Self.sight(try await device().synced.syncNow())
  }

  private nonisolated static func sight(_ report: SyncReport) -> CycleSight {
    CycleSight(
      imported: report.imported, exported: report.exported,
      isCaughtUp: report.caughtUpAt != nil, failure: report.error.map { GateFailure($0) })
  }

  private func startSyncing() async throws {
    let coordinator = try device().coordinator
    await stopSyncing()
    syncing = Task { await coordinator.run() }
  }

  private func stopSyncing() async {
    syncing?.cancel()
    await syncing?.value
    syncing = nil
  }

  private func hang(after fetches: Int) async throws {
    let synced = try device().synced
    let reached = hold.arm(after: fetches)
    let hold = hold
    hanging = Task {
      // However it ends, who waits for it to hang waits no longer.
      defer { hold.release() }
      return Self.sight(try await synced.syncNow())
    }
    for await _ in reached { return }
    throw GateFailure.notSeen(
      "Could not let a cycle hang, it ended before it had fetched anything.")
  }

  private func goOn() async throws -> CycleSight {
    hold.release()
    guard let hanging else { return try await cycle() }
    self.hanging = nil
    return try await hanging.value
  }
}

extension PeerOpening {
  /// What the registry makes the transport of.
  var configuration: TransportConfiguration {
    TransportConfiguration(
      specification: TransportSpecification(transport), tokenFile: tokenFile,
      token: token.map { Secret($0) }, authorityFile: authorityFile, account: account)
  }
}
