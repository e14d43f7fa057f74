public import Observation
import StrandlineHistory
import StrandlineModels
public import StrandlineStorage

/// What one part of an app shows, fetched anew whenever a change touches it.
///
/// It fetches, saves, and reloads where a transaction of anybody (another process, an import,
/// another part of the app) touches what it shows; one that touches nothing of it costs a look at
/// its changes. Reloads never run side by side, and a merge that arrives during one makes another
/// follow. An error leaves what is shown as it is.
///
/// ```swift
/// let unread = AppStore(store, identifier: "unread", initial: []) { reader in
///   try reader.fetch(Book.self, where: #Predicate { !$0.read })
/// }
/// ```
///
/// Let ``run()`` go on for as long as it is shown. A ``AppCoordinator`` looks after it when the app
/// becomes active.
@MainActor @Observable public final class AppStore<Content: Sendable> {
  /// What is shown.
  public internal(set) var content: Content
  /// How often the content was fetched; a view that keys something by it follows each reload.
  public internal(set) var refreshCount = 0
  /// Whether a reload runs now.
  public internal(set) var isReloading = false
  /// Why the latest save failed; nil once one succeeds.
  public internal(set) var lastSaveError: AppStoreFailure?
  /// Why the latest reload failed; nil once one succeeds.
  public internal(set) var lastReloadError: AppStoreFailure?

  /// The name of this store object in logs, and of its saves in history.
  public nonisolated let identifier: String
  /// The store.
  public nonisolated let store: Store
  /// The name under which history notes what this object has processed; nil notes nothing.
  ///
  /// With one, `trace` tells when a change had reached what is shown here, and history is kept as
  /// far back as it has not been processed.
  public nonisolated let consumer: String?
  /// What the app wants to do at certain moments.
  @ObservationIgnored public var hooks = Hooks()

  @ObservationIgnored let fetch: @Sendable (ShownReader) throws -> Content
  @ObservationIgnored var turns = ReloadTurns()
  @ObservationIgnored var waiting: [CheckedContinuation<Void, Never>] = []
  /// What was shown at the place in history that the content is true of; nil before the first
  /// fetch, and after one that failed.
  @ObservationIgnored var shown: Shown?

  /// What an app does at certain moments.
  public struct Hooks {
    /// Called after each save that was committed.
    public var afterSave: (@MainActor () async -> Void)?
    /// Called after each reload with what is shown now.
    public var afterReload: (@MainActor (Content) async -> Void)?
    /// Called for each save and reload that failed.
    public var onFailure: (@MainActor (AppStoreFailure) -> Void)?
  }

  /// What a fetch read, and where in history.
  struct Shown: Sendable {
    var records: [ShownRecords]
    var entities: Set<String>
    var head: Int64
  }

  /// Shows what a closure fetches, from one snapshot each time.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - identifier: The name in logs.
  ///   - consumer: The name under which history notes what was processed.
  ///   - initial: What is shown until the first fetch.
  ///   - fetch: The fetches; what they read through the reader is watched.
  public init(
    _ store: Store, identifier: String, consumer: String? = nil, initial: Content,
    fetch: @escaping @Sendable (ShownReader) throws -> Content
  ) {
    self.store = store
    self.identifier = identifier
    self.consumer = consumer
    self.fetch = fetch
    content = initial
  }
}

extension AppStore where Content == [Record] {
  /// Shows the records that a query names.
  public convenience init(
    _ store: Store, identifier: String, consumer: String? = nil, showing query: Query,
    properties: Set<String>? = nil
  ) {
    self.init(store, identifier: identifier, consumer: consumer, initial: []) {
      try $0.records(query, showing: properties)
    }
  }
}

extension AppStore {
  /// The place in history that the content is true of; nil where that is not known.
  package var place: Int64? { shown?.head }

  /// Whether what is shown was fetched at all.
  public var isLoaded: Bool { refreshCount > 0 }

  /// The latest error of a save or, where there is none, of a reload.
  public var lastError: AppStoreFailure? { lastSaveError ?? lastReloadError }

  /// Fetches, and then follows what changes, until the task is cancelled or the store closes.
  public func run() async {
    // Listening begins before the first fetch, so that nothing falls between the two.
    let changes = store.changes()
    await refresh()
    for await _ in changes {
      if Task.isCancelled { return }
      await refresh()
    }
  }
}
