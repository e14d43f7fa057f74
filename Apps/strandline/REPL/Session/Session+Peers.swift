import Strandline
import StrandlineFaults
import StrandlineTransport

// What the devices of a session follow: as the configuration or an option says when it begins,
// and as the person says at the prompt, which is written to the configuration.
extension Session {
  /// The transports in words, for people; `none` where none is followed.
  var peersText: String {
    peers.isEmpty ? "none" : peers.map(\.transport).joined(separator: ", ")
  }

  /// Lets a device follow the session's transports.
  func connect(_ device: Device) async throws {
    guard maySync else { return }
    var made: [SyncedStore.Peer] = []
    for index in peers.indices {
      let transport = try await make(peers[index], for: device)
      // The transport's own words, since a relative path means something else elsewhere.
      peers[index].transport = transport.transport.specification
      made.append(transport)
    }
    try await connect(device, to: made)
  }

  private func connect(_ device: Device, to made: [SyncedStore.Peer]) async throws {
    try await device.synced.use(made)
    if let automatic = home.configuration.schedule.automatic, options.automatic == nil {
      try await device.store.handleSwitch(.setAutomatic(automatic))
    }
    startBackground(device)
  }

  private func make(
    _ peer: Configuration.Peer, for device: Device
  ) async throws -> SyncedStore.Peer {
    SyncedStore.Peer(
      FaultyTransport(try await makeBare(peer, for: device), panel: device.panel),
      account: peer.account, firstSync: peer.firstSync)
  }

  /// The keeper of what a peer's environments know, where this program may be that.
  func schemaKeeper(of peer: Configuration.Peer) async throws -> (any SchemaKeeper)? {
    try await makeBare(peer, for: device) as? any SchemaKeeper
  }

  /// Makes a transport without the faults of the lab before it.
  private func makeBare(
    _ peer: Configuration.Peer, for device: Device
  ) async throws -> any Transport {
    let made = try await registry.make(
      TransportConfiguration(
        specification: TransportSpecification(peer.transport), tokenFile: peer.tokenFile,
        token: home.token, authorityFile: peer.authorityFile ?? home.authorityFile,
        account: peer.account, clock: device.labClock.clock))
    guard let made else {
      throw CommandError(
        "unknownTransport", "Could not follow '\(peer.transport)', it is no transport.",
        advice: "Use one of: \(registry.addressForms.joined(separator: ", ")).",
        exitCode: .transport)
    }
    return made
  }

  /// How a transport calls itself, which may differ from what the person wrote.
  func ownWords(of peer: Configuration.Peer) async throws -> Configuration.Peer {
    var named = peer
    named.transport = try await make(peer, for: device).transport.specification
    return named
  }

  /// Lets all open devices follow one transport instead of all others, or none, and remembers it.
  func use(_ peer: Configuration.Peer?) async throws {
    // All are made before any is followed, so that a wrong address changes nothing.
    var made: [(Device, [SyncedStore.Peer])] = []
    for device in devices.values {
      made.append((device, try await peer.asyncMap { [try await make($0, for: device)] } ?? []))
    }
    for (device, peers) in made { try await connect(device, to: peers) }
    peers = peer.map { [$0] } ?? []
    let followed = peers
    try remember { $0.peers = followed }
  }

  /// Lets all open devices follow one more transport, and remembers it.
  ///
  /// - Returns: Whether the present device follows it only now.
  func add(_ peer: Configuration.Peer) async throws -> Bool {
    var made: [(Device, SyncedStore.Peer)] = []
    for device in devices.values { made.append((device, try await make(peer, for: device))) }
    var isNew = false
    for (device, one) in made {
      let isNewHere = try await device.synced.follow(
        one.transport, account: one.account, firstSync: one.firstSync)
      if device === self.device { isNew = isNewHere }
      startBackground(device)
    }
    if !peers.contains(where: { $0.transport == peer.transport }) { peers.append(peer) }
    try remember { configuration in
      if !configuration.peers.contains(where: { $0.transport == peer.transport }) {
        configuration.peers.append(peer)
      }
    }
    return isNew
  }

  /// Follows a transport that is followed already with another account, token or authority.
  func revise(_ peer: Configuration.Peer) async throws {
    for index in peers.indices where peers[index].transport == peer.transport {
      peers[index] = peer
    }
    for device in devices.values { try await connect(device) }
    try remember { configuration in
      for index in configuration.peers.indices
      where configuration.peers[index].transport == peer.transport {
        configuration.peers[index] = peer
      }
    }
  }

  /// Lets all open devices forget a peer, and takes it out of the configuration.
  func forget(_ peer: PeerItem) async throws {
    for device in devices.values {
      let same = try await device.store.peerItems().filter {
        $0.specification == peer.specification && $0.zoneName == peer.zoneName
          && $0.environment == peer.environment
      }
      for one in same { try await device.synced.forget(one.id) }
    }
    // A peer of another zone is not what the configuration means by its transport.
    let isOfThisZone =
      peer.zoneName == home.zone && peer.environment == home.environment.rawValue
    guard isOfThisZone else { return }
    peers.removeAll { $0.transport == peer.specification }
    try remember { $0.peers.removeAll { $0.transport == peer.specification } }
  }

  /// Answers what a peer asks; one that is not followed any more leaves the configuration.
  func answer(_ question: PeerQuestion, of peer: PeerItem, with answer: PeerAnswer) async throws {
    try await device.synced.answer(question, of: peer.id, with: answer)
    guard answer == .keep, peer.zoneName == home.zone,
      peer.environment == home.environment.rawValue
    else { return }
    peers.removeAll { $0.transport == peer.specification }
    try remember { $0.peers.removeAll { $0.transport == peer.specification } }
  }

  private func remember(_ change: (inout Configuration) -> Void) throws {
    if !options.isInMemory { try home.remember(change) }
  }

  /// The status of a device with each peer that it follows; one entry where it follows none.
  func snapshots(of device: Device? = nil) async throws -> [StatusSnapshot] {
    let device = device ?? self.device
    return try await device.store.status(deviceName: device.name)
  }
}

extension Optional {
  fileprivate func asyncMap<T>(_ body: (Wrapped) async throws -> T) async rethrows -> T? {
    guard let self else { return nil }
    return try await body(self)
  }
}
