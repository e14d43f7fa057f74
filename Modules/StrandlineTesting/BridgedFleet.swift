public import Strandline
import StrandlineFaults

/// Devices of one person that follow different peers, some of them several, driven from a seed.
///
/// A device that follows two zones is a bridge between those who follow only one. What ``Fleet``
/// is for one zone this is for several: random edits, cycles and faults, then healing, then
/// findings.
///
/// ```swift
/// let fleet = try await BridgedFleet(
///   seed: seed, schema: schema, devices: [["one"], ["one", "two"], ["two"]]
/// ) { zone, clock in MemoryTransport(cloud: cloud.named(zone)) }
/// for _ in 0..<50 { try await fleet.step() }
/// try await fleet.heal()
/// #expect(try await fleet.findings().isEmpty, "seed \(seed)")
/// ```
public actor BridgedFleet {
  /// One device of the fleet.
  public struct Member: Sendable {
    /// The name.
    public let name: String
    /// The store with its engines.
    public let synced: SyncedStore
    let peers: [Peer]

    struct Peer: Sendable {
      let transport: FaultyTransport
      let panel: FaultPanel

      var specification: TransportSpecification {
        TransportSpecification(transport.specification)
      }
    }
  }

  /// The devices.
  public nonisolated let members: [Member]
  private let time: VirtualTime
  private let editor: RandomEditor
  private let swaps: Bool
  private var random: SeededGenerator

  /// Makes a fleet.
  ///
  /// - Parameters:
  ///   - seed: What everything random follows from.
  ///   - schema: The model.
  ///   - devices: For each device the zones that it follows.
  ///   - swaps: Whether a device follows only one of its zones for a while, now and then.
  ///   - transport: Makes a device's transport to a zone, given the device's clock.
  /// - Throws: What opening a store throws.
  public init(
    seed: UInt64, schema: Schema, devices: [[String]], swaps: Bool = false,
    transport: @Sendable (String, WallClock) throws -> any Transport
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let time = VirtualTime()
    var members: [Member] = []
    for (number, zones) in devices.enumerated() {
      let clock = time.clock(aheadBy: Int64.random(in: -1000...1000, using: &random))
      let name = "device\(number + 1)"
      var peers: [Member.Peer] = []
      for zone in zones {
        let panel = FaultPanel(seed: random.next())
        let made = FaultyTransport(try transport(zone, clock), panel: panel, sleep: { _ in })
        peers.append(Member.Peer(transport: made, panel: panel))
      }
      let synced = try await SyncedStore.open(
        .memory, schema: schema, registry: Registry([]),
        options: SyncEngine.Options(deviceName: name),
        storeOptions: StoreOptions(clock: clock, readerCount: 1))
      try await synced.use(peers.map { SyncedStore.Peer($0.transport) })
      members.append(Member(name: name, synced: synced, peers: peers))
    }
    self.members = members
    self.time = time
    self.swaps = swaps
    editor = RandomEditor(schema: schema, random: &random)
    self.random = random
    // All are known to their zones from the start: a fence waits for them.
    for member in members {
      for peer in member.peers { try await member.synced.syncNow(with: peer.specification) }
    }
  }

  // MARK: Chaos

  /// Lets a random device do one random thing: edit, sync with one of its peers, meet other
  /// faults than before, or follow other peers than before.
  public func step() async throws {
    time.advance(by: Int64.random(in: 0...40, using: &random))
    let member = members[Int.random(in: 0..<members.count, using: &random)]
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<11: try await edit(member)
    case 11..<18: try await sync(member)
    case 18: changeFaults(of: member)
    default: try await swap(member)
    }
  }

  private func edit(_ member: Member) async throws {
    let count =
      Int.random(in: 0..<3, using: &random) == 0
      ? Int.random(in: 2...4, using: &random) : 1
    let seed = random.next()
    let editor = editor
    try await member.synced.store.write { write in
      var random = SeededGenerator(seed: seed)
      for _ in 0..<count { try editor.edit(write, &random) }
    }
  }

  private func sync(_ member: Member) async throws {
    let followed = Set(await member.synced.transports.map(\.specification))
    let peers = member.peers.filter { followed.contains($0.transport.specification) }
    guard let peer = peers.randomElement(using: &random) else { return }
    try await member.synced.syncNow(with: peer.specification)
  }

  private func changeFaults(of member: Member) {
    for peer in member.peers {
      let isDown = Int.random(in: 0..<4, using: &random) == 0
      let rate = [0, 0.1, 0.3][Int.random(in: 0..<3, using: &random)]
      peer.panel.update { controls in
        controls.isDown = isDown
        controls.rates = [.dropRequest: rate, .loseReply: rate, .duplicate: rate]
      }
    }
  }

  private func swap(_ member: Member) async throws {
    guard swaps, member.peers.count > 1 else { return }
    let isAll = Bool.random(using: &random)
    let one = member.peers[Int.random(in: 0..<member.peers.count, using: &random)]
    let chosen = isAll ? member.peers : [one]
    try await member.synced.use(chosen.map { SyncedStore.Peer($0.transport) })
  }

  // MARK: Healing

  /// Ends all faults, lets every device follow all its peers, and lets them sync until two whole
  /// rounds move nothing.
  ///
  /// - Throws: `FleetError` if that does not happen within a bound.
  public func heal() async throws {
    for member in members {
      for peer in member.peers { peer.panel.update { $0 = FaultControls() } }
      try await member.synced.use(member.peers.map { SyncedStore.Peer($0.transport) })
    }
    let bound = 8 + 4 * members.count
    var quietRounds = 0
    for _ in 0..<bound {
      quietRounds = try await isQuietRound() ? quietRounds + 1 : 0
      // That a value lost is sent without a record, which no report counts; whoever fetches it
      // counts it in the round after.
      if quietRounds == 2 { return }
    }
    throw FleetError(rounds: bound)
  }

  private func isQuietRound() async throws -> Bool {
    var isQuiet = true
    for member in members {
      for peer in member.peers {
        time.advance(by: 5)
        let report = try await member.synced.syncNow(with: peer.specification)
        let moved = report.imported + report.exported + report.conflicts
        if moved > 0 || report.caughtUpAt == nil { isQuiet = false }
      }
    }
    return isQuiet
  }

  /// What is not as it should be once the fleet has healed; empty where all is well.
  ///
  /// - Returns: One sentence a finding.
  /// - Throws: What reading a store throws.
  public func findings() async throws -> [String] {
    try await FleetDump.findings(of: members.map { ($0.name, $0.synced.store) })
  }
}
