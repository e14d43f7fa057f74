public import Strandline
public import StrandlineFaults
import StrandlineMemoryTransport

/// Several devices of one person in one process, driven from a seed.
///
/// Every device has a real store in memory and a real engine; they meet over one transport with
/// faults in front of it. A test lets them do random things, heals the faults, lets them settle,
/// and asks for findings:
///
/// ```swift
/// let fleet = try await Fleet(seed: seed, deviceCount: 3, schema: schema)
/// for _ in 0..<50 { try await fleet.step() }
/// try await fleet.heal()
/// #expect(try await fleet.findings().isEmpty, "seed \(seed)")
/// ```
///
/// Time is virtual: it advances with the steps, and each device's clock is off by a bit of its
/// own. The same seed gives the same steps.
public actor Fleet {
  /// One device of the fleet.
  public struct Member: Sendable {
    /// The name.
    public let name: String
    /// The store with its engine.
    public let synced: SyncedStore
    let panel: FaultPanel
  }

  /// The faults that a fleet's links have unless it is told otherwise: all of them.
  public static let usualFaults = Set(Fault.allCases)

  /// The devices.
  public nonisolated let members: [Member]
  private let time: VirtualTime
  private let editor: RandomEditor
  private let faults: Set<Fault>
  private var random: SeededGenerator

  /// Makes a fleet that meets over a cloud in memory.
  ///
  /// - Parameters:
  ///   - seed: What everything random follows from.
  ///   - deviceCount: How many devices there are.
  ///   - schema: The model.
  ///   - faults: What may go wrong with a call; with none the links are never down either.
  /// - Throws: What opening a store throws.
  public init(
    seed: UInt64, deviceCount: Int, schema: Schema, faults: Set<Fault> = usualFaults
  ) async throws {
    let time = VirtualTime()
    let cloud = MemoryCloud(clock: time.clock(aheadBy: 0), seed: seed)
    try await self.init(
      seed: seed, deviceCount: deviceCount, schema: schema, faults: faults, time: time
    ) { _, _ in MemoryTransport(cloud: cloud) }
  }

  /// Makes a fleet that meets over transports that the caller makes, one for each clock.
  ///
  /// - Parameters:
  ///   - seed: What everything random follows from.
  ///   - deviceCount: How many devices there are.
  ///   - schema: The model.
  ///   - faults: What may go wrong with a call; with none the links are never down either.
  ///   - transport: Makes the transport of one device, given the device's clock.
  /// - Throws: What opening a store throws.
  public init(
    seed: UInt64, deviceCount: Int, schema: Schema, faults: Set<Fault> = usualFaults,
    transport: @Sendable (WallClock) throws -> any Transport
  ) async throws {
    try await self.init(
      seed: seed, deviceCount: deviceCount, schema: schema, faults: faults, time: VirtualTime()
    ) { _, clock in try transport(clock) }
  }

  /// Makes a fleet that meets in a place of a subject of the contract.
  ///
  /// Its time begins at the system's, so that a place may live by a clock of its own.
  ///
  /// - Parameters:
  ///   - seed: What everything random follows from.
  ///   - deviceCount: How many devices there are.
  ///   - schema: The model.
  ///   - faults: What may go wrong with a call; with none the links are never down either.
  ///   - subject: Makes the place.
  /// - Returns: The fleet, and the place, which the caller closes.
  /// - Throws: What making the place or opening a store throws.
  public static func meeting(
    seed: UInt64, deviceCount: Int, schema: Schema, faults: Set<Fault> = usualFaults,
    in subject: any TransportSubject
  ) async throws -> (fleet: Fleet, place: any TransportPlace) {
    let time = VirtualTime(startingAt: WallClock.system.milliseconds)
    let place = try await subject.makePlace(
      PlaceRequest(clock: time.clock(aheadBy: 0), limits: TransportLimits()))
    let fleet = try await Fleet(
      seed: seed, deviceCount: deviceCount, schema: schema, faults: faults, time: time
    ) { number, _ in try await place.connect(number) }
    return (fleet, place)
  }

  private init(
    seed: UInt64, deviceCount: Int, schema: Schema, faults: Set<Fault>, time: VirtualTime,
    transport: @Sendable (Int, WallClock) async throws -> any Transport
  ) async throws {
    var random = SeededGenerator(seed: seed)
    var members: [Member] = []
    for number in 1...max(1, deviceCount) {
      let clock = time.clock(aheadBy: Int64.random(in: -1000...1000, using: &random))
      let panel = FaultPanel(seed: random.next())
      let name = "device\(number)"
      let synced = try await SyncedStore.open(
        .memory, schema: schema, registry: Registry([]),
        options: SyncEngine.Options(deviceName: name),
        storeOptions: StoreOptions(clock: clock, readerCount: 1))
      try await synced.use(
        FaultyTransport(try await transport(number, clock), panel: panel, sleep: { _ in }))
      members.append(Member(name: name, synced: synced, panel: panel))
    }
    // All are known to the zone from the start: its fence waits for them, so that what was
    // listed before a device had joined cannot be missing on it.
    for member in members { try await member.synced.syncNow() }
    self.members = members
    self.time = time
    self.faults = faults
    editor = RandomEditor(schema: schema, random: &random)
    self.random = random
  }

  // MARK: Chaos

  /// Lets a random device do one random thing: edit, sync, or meet other faults than before.
  public func step() async throws {
    time.advance(by: Int64.random(in: 0...40, using: &random))
    let member = members[Int.random(in: 0..<members.count, using: &random)]
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6: try await edit(member)
    case 9 where !faults.isEmpty: changeFaults(of: member)
    default: try await member.synced.syncNow()
    }
  }

  private func edit(_ member: Member) async throws {
    var count = 1
    if Int.random(in: 0..<3, using: &random) == 0 { count = Int.random(in: 2...4, using: &random) }
    let seed = random.next()
    let editor = editor
    let edits = count
    try await member.synced.store.write { write in
      var random = SeededGenerator(seed: seed)
      for _ in 0..<edits { try editor.edit(write, &random) }
    }
  }

  private func changeFaults(of member: Member) {
    let isDown = Int.random(in: 0..<4, using: &random) == 0
    let rate = [0, 0.1, 0.3][Int.random(in: 0..<3, using: &random)]
    let rates = Dictionary(
      uniqueKeysWithValues: faults.map { ($0, $0 == .expireCursor ? rate / 10 : rate) })
    member.panel.update { controls in
      controls.isDown = isDown
      controls.rates = rates
    }
  }

  // MARK: Healing

  /// Ends all faults and lets the devices sync until a whole round moves nothing.
  ///
  /// - Throws: `FleetError` if that does not happen within a bound.
  public func heal() async throws {
    for member in members { member.panel.update { $0 = FaultControls() } }
    let bound = 6 + 2 * members.count
    for _ in 0..<bound {
      var isQuiet = true
      for member in members {
        time.advance(by: 5)
        let report = try await member.synced.syncNow()
        if report.imported + report.exported > 0 || report.caughtUpAt == nil { isQuiet = false }
      }
      if isQuiet { return }
    }
    throw FleetError(rounds: bound)
  }

  /// What is not as it should be once the fleet has healed; empty where all is well.
  ///
  /// - Returns: One sentence a finding.
  /// - Throws: What reading a store throws.
  public func findings() async throws -> [String] {
    try await FleetDump.findings(of: members.map { ($0.name, $0.synced.store) })
  }
}

/// That a fleet does not come to rest.
public struct FleetError: ExplainedError {
  /// How many rounds were tried.
  public let rounds: Int
  /// The stable name.
  public var codeName: String { "fleetNotQuiet" }
  /// What did not happen.
  public var message: String {
    "Could not bring the fleet to rest, after \(rounds) rounds changes were still moving."
  }
  /// What to do.
  public var advice: String { "Replay the seed and look at the reports of each cycle." }
}
