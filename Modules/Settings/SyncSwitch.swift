import StrandlineModels
public import StrandlineStorage

/// Whether the person wants sync, as the store keeps it.
///
///     off ──turnOn──▶ on
///      ▲               │
///      └───turnOff─────┘   with purge: a purge stays pending until it is done,
///                          or until turnOn drops it
public struct SyncSwitch: Hashable, Sendable {
  /// Whether the person wants sync.
  public private(set) var isWanted: Bool
  /// Whether cycles run by themselves.
  public private(set) var isAutomatic: Bool
  /// Whether the cloud copy is still to be purged.
  public private(set) var isPurgePending: Bool

  /// What can happen to the switch.
  public enum Event: Hashable, Sendable {
    /// The person switched sync on, or configured a transport by hand.
    case turnOn
    /// The person switched sync off, and asked for the cloud copy to be purged or kept.
    case turnOff(purge: Bool)
    /// The cloud copy was purged, or was gone already.
    case purged
    /// The person chose whether cycles run by themselves.
    case setAutomatic(Bool)
  }

  /// Starts from what was stored.
  public init(isWanted: Bool = false, isAutomatic: Bool = true, isPurgePending: Bool = false) {
    self.isWanted = isWanted
    self.isAutomatic = isAutomatic
    self.isPurgePending = isPurgePending
  }

  /// Takes one step.
  public mutating func handle(_ event: Event) {
    switch event {
    case .turnOn:
      isWanted = true
      isPurgePending = false
    case .turnOff(let purge):
      isWanted = false
      isPurgePending = isPurgePending || purge
    case .purged: isPurgePending = false
    case .setAutomatic(let automatic): isAutomatic = automatic
    }
  }
}

extension ReadTransaction {
  /// The switch as the store keeps it.
  public func syncSwitch() throws -> SyncSwitch {
    try connection.first(
      "SELECT wanted, automatic, pending_purge FROM strandline_switch"
    ) {
      SyncSwitch(
        isWanted: $0.integer(0) != 0, isAutomatic: $0.integer(1) != 0,
        isPurgePending: $0.integer(2) != 0)
    } ?? SyncSwitch()
  }
}

extension Store {
  /// Takes one step of the switch and keeps the result.
  @discardableResult
  public func handleSwitch(_ event: SyncSwitch.Event) async throws -> SyncSwitch {
    try await administer(durable: true) { transaction in
      var state = try transaction.syncSwitch()
      state.handle(event)
      try transaction.connection.run(
        "UPDATE strandline_switch SET wanted = ?, automatic = ?, pending_purge = ?",
        [
          .integer(state.isWanted ? 1 : 0), .integer(state.isAutomatic ? 1 : 0),
          .integer(state.isPurgePending ? 1 : 0),
        ])
      return state
    }
  }
}
