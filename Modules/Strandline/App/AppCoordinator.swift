public import Observation
public import StrandlineSyncEngine

/// What an app does when it becomes active and when it is left.
///
/// While the app is in the background no cycle begins by itself. When it becomes active, and when
/// it is active at the start, a safety net runs: one cycle with each peer, and a look into history
/// by every part of the app that was added. It waits a moment first, and is dropped where the app
/// is left again meanwhile.
///
/// ```swift
/// let coordinator = AppCoordinator(synced, isActive: true)
/// coordinator.add(unread)
/// await coordinator.run()
/// ```
@MainActor @Observable public final class AppCoordinator {
  /// Whether the app is in use.
  public private(set) var isActive: Bool
  /// How often the safety net has run to its end.
  public private(set) var safetyNetCount = 0
  /// The store with its peers.
  public nonisolated let synced: SyncedStore

  @ObservationIgnored private let settling: Duration
  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var parts: [Part] = []
  /// Which activation is the present one, so that an older one that still waits is dropped.
  @ObservationIgnored private var activation = 0

  private struct Part {
    weak var refreshable: (any AppRefreshable)?
  }

  /// Coordinates an app's store with what it shows.
  ///
  /// - Parameters:
  ///   - synced: The store with its peers.
  ///   - isActive: Whether the app is in use already.
  ///   - settling: How long the app must stay active before the safety net runs.
  ///   - clock: Measures that wait.
  public init(
    _ synced: SyncedStore, isActive: Bool, settling: Duration = .milliseconds(300),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.synced = synced
    self.isActive = isActive
    self.settling = settling
    self.clock = clock
  }

  /// Adds a part of the app to the safety net, for as long as somebody else keeps it.
  public func add(_ part: any AppRefreshable) {
    remove(part)
    parts.append(Part(refreshable: part))
  }

  /// Takes a part out of the safety net; one that is gone is out already.
  public func remove(_ part: any AppRefreshable) {
    parts.removeAll { $0.refreshable == nil || $0.refreshable === part }
  }

  /// Says that the app is in use; the safety net runs before this returns, unless it is dropped.
  ///
  /// An app that is active already stays as it is.
  public func becomeActive() async {
    guard !isActive else { return }
    isActive = true
    await runSafetyNet()
  }

  /// Says that the app is left: no cycle begins by itself, and a safety net that has not begun is
  /// dropped.
  public func enterBackground() async {
    isActive = false
    activation += 1
    await synced.enterBackground()
  }

  /// Keeps syncing until the task is cancelled, and begins with the safety net where the app is
  /// active.
  ///
  /// - Parameter report: Called for each cycle that ended, with one peer each.
  public func run(
    _ report: @escaping @Sendable (PeerReport) async -> Void = { _ in }
  ) async {
    if !isActive { await synced.enterBackground() }
    let synced = synced
    await withTaskGroup { group in
      group.addTask { await synced.run(report) }
      if isActive { await runSafetyNet() }
      await group.waitForAll()
    }
  }

  private func runSafetyNet() async {
    activation += 1
    let own = activation
    do { try await clock.sleep(for: settling) } catch { return }
    guard isPresent(own) else { return }
    await synced.becomeActive()
    guard isPresent(own) else {
      // The app was left while its peers were told otherwise; the later word counts.
      if !isActive { await synced.enterBackground() }
      return
    }
    for part in parts.compactMap(\.refreshable) where isPresent(own) { await part.refresh() }
    if isPresent(own) { safetyNetCount += 1 }
  }

  private func isPresent(_ own: Int) -> Bool { isActive && activation == own }
}
