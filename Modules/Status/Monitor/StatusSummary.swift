/// Several stores in a few values, of which the worst stays visible.
///
/// What one store or peer did well hides nothing of what another could not do.
public struct StatusSummary: Hashable, Sendable {
  /// One thing that did not succeed.
  public struct Failure: Hashable, Sendable {
    /// The app's own name for the store.
    public let store: String
    /// The peer; nil where the store itself cannot be looked at.
    public let peer: String?
    /// What was tried; nil where the store itself cannot be looked at.
    public let kind: StatusSnapshot.Activity.Kind?
    /// The stable name of the error.
    public let code: String
    /// What could not be done and why.
    public let message: String
    /// What to do about it.
    public let advice: String
  }

  /// A store and what was seen of it with one peer.
  public struct Place: Hashable, Sendable {
    /// The app's own name for the store.
    public let store: String
    /// What was seen.
    public let snapshot: StatusSnapshot
  }

  /// The store and the snapshot that say the worst; nil where nothing was seen yet.
  public let worst: Place?
  /// Everything that did not succeed, by store, peer and kind.
  public let failures: [Failure]
  /// How many records wait for the peer that lacks most of each store, together.
  public let pending: Int
  /// Whether an activity runs anywhere.
  public let isRunning: Bool
  /// When any activity was last seen to succeed, in milliseconds since 1970.
  public let lastSuccessfulActivity: Int64?
  /// What an app that shows all of the stores may show in place of records.
  public let firstLaunch: FirstLaunch

  /// The worst standing; nil where nothing was seen yet.
  public var standing: StatusSnapshot.Standing? { worst?.snapshot.standing }

  /// Sums up several stores.
  public init(_ stores: [StoreStatus]) {
    let places = stores.flatMap { store in
      store.snapshots.map { Place(store: store.name, snapshot: $0) }
    }
    worst = places.max { Self.rank($0.snapshot) < Self.rank($1.snapshot) }
    failures = stores.flatMap(Self.failures)
    pending = stores.map { $0.snapshots.map(\.pending).max() ?? 0 }.reduce(0, +)
    isRunning = places.contains { place in
      place.snapshot.activities.contains { $0.outcome == .running }
    }
    lastSuccessfulActivity = places.compactMap(\.snapshot.lastSuccessfulActivity).max()
    firstLaunch = Self.firstLaunch(stores.map(\.firstLaunch))
  }

  /// A store where sync is off says nothing while another one syncs.
  private static func rank(_ snapshot: StatusSnapshot) -> Int {
    let order: [StatusSnapshot.Standing] = [
      .off, .caughtUp, .working, .settingUp, .waiting, .blocked,
    ]
    let standing = order.firstIndex(of: snapshot.standing) ?? 0
    // Of two that stand alike, the one with a failure is worse.
    return standing * 2 + (snapshot.failures.isEmpty ? 0 : 1)
  }

  private static func failures(_ store: StoreStatus) -> [Failure] {
    let own = store.failure.map {
      Failure(
        store: store.name, peer: nil, kind: nil, code: $0.code, message: $0.message,
        advice: $0.advice)
    }
    let seen = store.snapshots.flatMap { snapshot in
      snapshot.failures.map {
        Failure(
          store: store.name, peer: snapshot.peer, kind: $0.kind, code: $0.errorCode ?? "",
          message: $0.errorMessage ?? "", advice: $0.errorAdvice ?? "")
      }
    }
    return [own].compactMap(\.self) + seen
  }

  /// Records of any store are there to be shown; without any, nothing is called empty too early.
  private static func firstLaunch(_ states: [FirstLaunch]) -> FirstLaunch {
    let order: [FirstLaunch] = [.hasRecords, .loading, .checking, .empty]
    return order.first(where: states.contains) ?? .loading
  }
}
