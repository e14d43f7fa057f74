public import Observation
public import StrandlineStorage

/// Keeps the status of an app's stores before its views, for as long as the app runs.
///
/// One monitor watches all stores of a process. It is told of every commit, by this process and by
/// others, and looks into the tables then; so an observer that comes late, or is in another
/// process than the engine, sees the same. It shows nothing that the tables do not say.
///
/// ```swift
/// let monitor = StatusMonitor(["notes": store], deviceName: "laptop")
/// monitor.start()
/// for await stores in monitor.updates() { print(StatusSummary(stores).failures) }
/// ```
@MainActor @Observable public final class StatusMonitor {
  /// The status of each store, by name.
  public private(set) var stores: [StoreStatus]

  @ObservationIgnored private var watched: [String: Store]
  @ObservationIgnored private var tasks: [String: Task<Void, Never>] = [:]
  @ObservationIgnored private var listeners: [Int: AsyncStream<[StoreStatus]>.Continuation] = [:]
  @ObservationIgnored private var nextListener = 0
  @ObservationIgnored private let deviceName: String
  @ObservationIgnored private let pause: Duration
  @ObservationIgnored private let interval: Duration
  @ObservationIgnored private var refreshing: Task<Void, Never>?
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var isStarted = false
  /// The number of the next look, and of the look that is shown of each store.
  @ObservationIgnored private var nextLook = 0
  @ObservationIgnored private var shownLook: [String: Int] = [:]

  /// Makes a monitor, which looks at nothing yet.
  ///
  /// - Parameters:
  ///   - stores: The stores by the app's own names; more can be added later.
  ///   - deviceName: The name under which people know this device.
  ///   - pause: The time after a look in which further commits are gathered.
  ///   - interval: How often it looks without any commit, for what none tells, such as space on
  ///     the disk.
  ///   - clock: Measures both.
  public init(
    _ stores: [String: Store] = [:], deviceName: String, pause: Duration = .milliseconds(50),
    interval: Duration = .seconds(30), clock: any Clock<Duration> = ContinuousClock()
  ) {
    watched = stores
    self.stores = stores.keys.sorted().map { StoreStatus(name: $0) }
    self.deviceName = deviceName
    self.pause = pause
    self.interval = interval
    self.clock = clock
  }

  deinit {
    refreshing?.cancel()
    for task in tasks.values { task.cancel() }
    for listener in listeners.values { listener.finish() }
  }

  /// All stores in a few values, of which the worst stays visible.
  public var summary: StatusSummary { StatusSummary(stores) }

  /// The status of one store; nil where it is not among them.
  public subscript(name: String) -> StoreStatus? { stores.first { $0.name == name } }

  // MARK: Stores

  /// Says that a store is being opened, so that it is shown as loading.
  ///
  /// - Parameter name: The app's own name for the store.
  public func expect(_ name: String) {
    guard self[name] == nil else { return }
    show(StoreStatus(name: name))
  }

  /// Watches a store from now on, in place of another one of that name.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - name: The app's own name for it.
  public func add(_ store: Store, as name: String) {
    end(name)
    watched[name] = store
    show(StoreStatus(name: name))
    if isStarted { watch(store, name) }
  }

  /// Says that a store could not be opened.
  ///
  /// - Parameters:
  ///   - error: Why it could not be opened.
  ///   - name: The app's own name for the store.
  public func note(_ error: any Error, opening name: String) {
    end(name)
    show(StoreStatus(name: name, failure: StoreStatus.Failure(error)))
  }

  /// Watches a store no longer.
  ///
  /// - Parameter name: The app's own name for the store.
  public func remove(_ name: String) {
    end(name)
    stores.removeAll { $0.name == name }
    tell()
  }

  // MARK: Watching

  /// Begins to watch the stores; while it watches already this changes nothing.
  public func start() {
    guard !isStarted else { return }
    isStarted = true
    for (name, store) in watched { watch(store, name) }
    let (interval, clock) = (interval, clock)
    refreshing = Task { [weak self] in
      while !Task.isCancelled {
        do { try await clock.sleep(for: interval) } catch { return }
        guard let self else { return }
        await refresh()
      }
    }
  }

  /// Watches nothing until ``start()``; what was seen last stays.
  public func stop() {
    isStarted = false
    refreshing?.cancel()
    refreshing = nil
    for task in tasks.values { task.cancel() }
    tasks = [:]
  }

  /// Looks at all stores now, for what no commit tells, such as space on the disk.
  public func refresh() async {
    for (name, store) in watched { await look(at: store, name) }
  }

  /// The status of all stores now, and again after each change, as long as it is listened to.
  ///
  /// A slow listener misses what is over when it looks again, and always gets the latest.
  public func updates() -> AsyncStream<[StoreStatus]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [StoreStatus].self, bufferingPolicy: .bufferingNewest(1))
    let id = nextListener
    nextListener += 1
    listeners[id] = continuation
    continuation.onTermination = { [weak self] _ in
      // The stream's end may come from any thread.
      Task { @MainActor in self?.listeners[id] = nil }
    }
    continuation.yield(stores)
    return stream
  }

  private func watch(_ store: Store, _ name: String) {
    // The stream is made before the first look, so that nothing falls between.
    let wakes = store.observations()
    let (pause, clock) = (pause, clock)
    tasks[name] = Task { [weak self] in
      await self?.look(at: store, name)
      for await _ in wakes {
        guard let self, !Task.isCancelled else { return }
        await look(at: store, name)
        if pause > .zero {
          do { try await clock.sleep(for: pause) } catch { return }
        }
      }
    }
  }

  private func look(at store: Store, _ name: String) async {
    var status = self[name] ?? StoreStatus(name: name)
    let number = nextLook
    nextLook += 1
    do {
      status.snapshots = try await store.status(deviceName: deviceName)
      status.firstLaunch = status.snapshots.first?.firstLaunch ?? .checking
      status.failure = nil
    } catch {
      status.failure = StoreStatus.Failure(error)
    }
    // Another store may have taken its name meanwhile, and a later look may be shown already.
    guard watched[name] === store, number >= shownLook[name] ?? 0 else { return }
    shownLook[name] = number
    show(status)
  }

  private func end(_ name: String) {
    tasks.removeValue(forKey: name)?.cancel()
    watched[name] = nil
  }

  private func show(_ status: StoreStatus) {
    guard self[status.name] != status else { return }
    if let index = stores.firstIndex(where: { $0.name == status.name }) {
      stores[index] = status
    } else {
      stores.append(status)
      stores.sort { $0.name < $1.name }
    }
    tell()
  }

  private func tell() {
    for listener in listeners.values { listener.yield(stores) }
  }
}
