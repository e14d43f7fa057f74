package import StrandlineAuthority
public import StrandlineModels
public import StrandlineTransport
import Synchronization

/// A cloud inside this process, as strict as a real one, that ends with the process.
///
/// It wraps the same authority as the server, so what a test sees here holds there. Any number of
/// devices and accounts may use one cloud at the same time.
///
/// ```swift
/// let cloud = MemoryCloud()
/// let phone = MemoryTransport(cloud: cloud)
/// let laptop = MemoryTransport(cloud: cloud)
/// ```
public final class MemoryCloud: Sendable {
  /// The one that the plain specification `memory` means.
  public static let shared = MemoryCloud()

  /// Who is signed in where a transport was given no login of its own.
  public let login = MemoryLogin()

  private let name: String
  private let clock: WallClock
  private let seed: UInt64?
  private let limits: AuthorityLimits
  private let authority: Mutex<Authority<MemoryZoneStorage>>
  private let listeners = Mutex(Listeners())
  private let others = Mutex<[String: MemoryCloud]>([:])

  private struct Listeners {
    var next = 0
    var all: [Int: (login: MemoryLogin, continuation: AsyncStream<Hint>.Continuation)] = [:]
  }

  /// Makes an empty cloud; a seed makes the random numbers in it repeatable.
  public convenience init(
    clock: WallClock = .system, seed: UInt64? = nil, limits: TransportLimits = TransportLimits()
  ) {
    var all = AuthorityLimits()
    all.transport = limits
    self.init(clock: clock, seed: seed, limits: all)
  }

  /// Makes an empty cloud with limits of every kind.
  package convenience init(clock: WallClock, seed: UInt64?, limits: AuthorityLimits) {
    self.init(name: "", clock: clock, seed: seed, limits: limits)
  }

  private init(name: String, clock: WallClock, seed: UInt64?, limits: AuthorityLimits) {
    self.name = name
    self.clock = clock
    self.seed = seed
    self.limits = limits
    let random: any RandomNumberGenerator & Sendable =
      if let seed { SeededGenerator(seed: seed) } else { SystemRandomNumberGenerator() }
    authority = Mutex(
      Authority(storage: MemoryZoneStorage(), limits: limits, clock: clock, random: random))
  }

  /// How a person names this cloud.
  var specification: String { name.isEmpty ? "memory" : "memory:\(name)" }

  /// The separate cloud of a name beside this one, made where it is asked for first.
  public func named(_ name: String) -> MemoryCloud {
    if name.isEmpty { return self }
    return others.withLock { others in
      if let known = others[name] { return known }
      let cloud = MemoryCloud(
        name: name, clock: clock, seed: seed.map { $0 &+ UInt64(others.count) &+ 1 },
        limits: limits)
      others[name] = cloud
      return cloud
    }
  }
}

// What transports ask.
extension MemoryCloud {
  /// Runs an operation of the authority, alone.
  package func withAuthority<Result: Sendable>(
    _ operation: (inout Authority<MemoryZoneStorage>) throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    try authority.withLock { (authority) throws(TransportError) in try operation(&authority) }
  }

  /// A stream that yields whenever a fetch of the login's account may find something.
  func hints(for login: MemoryLogin) -> AsyncStream<Hint> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = listeners.withLock { listeners in
        listeners.next += 1
        listeners.all[listeners.next] = (login, continuation)
        return listeners.next
      }
      continuation.onTermination = { [weak self] _ in
        self?.listeners.withLock { $0.all[number] = nil }
      }
    }
  }

  /// Wakes everybody who is signed in to an account.
  func hint(_ account: String) {
    let woken = listeners.withLock { listeners in
      listeners.all.values.filter { $0.login.state == .available(account) }
    }
    for listener in woken { listener.continuation.yield(Hint()) }
  }
}

// What the keeper of a cloud may do.
extension MemoryCloud {
  /// The contents of a cloud at one time.
  public struct Backup: Sendable {
    fileprivate let storage: MemoryZoneStorage
  }

  /// Copies everything; from then on no fence passes what the newest copy holds.
  public func backUp() throws(TransportError) -> Backup {
    try withAuthority { (authority) throws(TransportError) in
      try authority.noteBackup()
      return Backup(storage: authority.storage)
    }
  }

  /// Puts everything back, with or without telling the devices that this happened.
  public func restore(_ backup: Backup, announced: Bool) throws(TransportError) {
    try withAuthority { (authority) throws(TransportError) in
      authority.storage = backup.storage
      if announced { try authority.announceRestore() }
    }
  }

  /// Makes known to production what development has learned.
  public func deploySchema() throws(TransportError) {
    try withAuthority { (authority) throws(TransportError) in try authority.deploySchema() }
  }
}
