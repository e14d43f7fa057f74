public import Strandline

/// A transport under the contract: makes the places that its checks need.
public protocol TransportSubject: Sendable {
  /// Makes a place in which nothing lies yet, for one check alone.
  ///
  /// - Parameter request: What the check would like; see there what must be heeded.
  /// - Returns: The place.
  /// - Throws: Whatever keeps it from being made; the rule counts as broken then.
  func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace
}

/// What a check would like of its place.
public struct PlaceRequest: Sendable {
  /// The time of day that the check's devices live by.
  ///
  /// It begins at the system's time and moves only with the check. A place that keeps a clock of
  /// its own may ignore it as long as that is right within a minute.
  public var clock: WallClock
  /// Limits that make a check quick; a place may have others, as long as ``Transport/open(_:)``
  /// tells them.
  public var limits: TransportLimits

  /// Makes a request.
  public init(clock: WallClock, limits: TransportLimits) {
    self.clock = clock
    self.limits = limits
  }
}

/// One place where devices meet, such as a folder or an account on a server.
public protocol TransportPlace: Sendable {
  /// What can be done with the place besides using it.
  var abilities: PlaceAbilities { get }

  /// Makes a transport into the place, as another process or another device would have it.
  ///
  /// Nothing in this process may be shared between two connections but what the place itself is.
  ///
  /// - Parameter device: The number of the device that uses it; one device may connect again.
  /// - Returns: A transport that nobody else uses.
  /// - Throws: Whatever keeps it from being made; the rule counts as broken then.
  func connect(_ device: Int) async throws -> any Transport

  /// Removes the place with all that was left of it.
  func close() async
}

/// Something that a place can do, or why it cannot.
public enum PlaceAbility<Action: Sendable>: Sendable {
  /// How it is done.
  case available(Action)
  /// Why it cannot be done, as the end of a sentence: "a folder has no accounts".
  case unavailable(String)

  /// How it is done; where it cannot be, the rule is not applicable.
  func get() throws -> Action {
    switch self {
    case .available(let action): return action
    case .unavailable(let reason): throw MissingAbility(reason: reason)
    }
  }
}

/// What a check may do with a place besides using it.
///
/// There are no defaults: a subject says of each ability how it is done or why there is none.
public struct PlaceAbilities: Sendable {
  /// An action without parameters.
  public typealias Action = @Sendable () async throws -> Void

  /// Makes the place forget what came after all cursors that were given so far.
  ///
  /// It is as if their devices had been silent for too long. Another device reads and reports
  /// before that counts.
  public var expireCursors: PlaceAbility<Action>
  /// Remembers the place's state, and returns what puts it back without telling anybody.
  public var checkpoint: PlaceAbility<@Sendable () async throws -> Action>
  /// Announces that the place was put back to an earlier state.
  public var announceRestore: PlaceAbility<Action>
  /// Signs a device in to an account by name, or out where the name is nil.
  ///
  /// All devices begin signed in to the account `first`.
  public var signIn: PlaceAbility<@Sendable (Int, String?) async throws -> Void>
  /// Makes known to production what development has learned.
  public var deploySchema: PlaceAbility<Action>
  /// Takes the place away, as when a server is down or a disk is not mounted, or brings it back.
  public var setReachable: PlaceAbility<@Sendable (Bool) async throws -> Void>
  /// That hints come after changes of other devices.
  public var hints: PlaceAbility<Void>

  /// Says of each ability how it is done or why there is none.
  public init(
    expireCursors: PlaceAbility<Action>,
    checkpoint: PlaceAbility<@Sendable () async throws -> Action>,
    announceRestore: PlaceAbility<Action>,
    signIn: PlaceAbility<@Sendable (Int, String?) async throws -> Void>,
    deploySchema: PlaceAbility<Action>,
    setReachable: PlaceAbility<@Sendable (Bool) async throws -> Void>,
    hints: PlaceAbility<Void>
  ) {
    self.expireCursors = expireCursors
    self.checkpoint = checkpoint
    self.announceRestore = announceRestore
    self.signIn = signIn
    self.deploySchema = deploySchema
    self.setReachable = setReachable
    self.hints = hints
  }
}
