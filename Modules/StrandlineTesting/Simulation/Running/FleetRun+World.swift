import Strandline
import StrandlineFaults
import StrandlineMemoryTransport

// What happens around the devices: time, links, accounts and the server.
extension FleetRun {
  static let minute: Int64 = 60_000
  static let day: Int64 = 86_400_000
  /// After which silence a zone no longer waits for a device, in plans with absences.
  static let shortSilence: Int64 = 3_600_000

  func passTime(_ random: inout SeededGenerator) {
    let longest: [Int64] = [200, Self.minute, 3 * 3_600_000, 3 * Self.day]
    let most = longest[Int.random(in: 0..<longest.count, using: &random)]
    let passed = Int64.random(in: 0...most, using: &random)
    time.advance(by: passed)
    // A zone that waits for nobody longer than an hour may have gone on without all of them.
    timePassed += passed
    if plan.hazards.contains(.absences), timePassed > Self.shortSilence { met.insert(.absences) }
  }

  /// Draws what a link does wrong from now on.
  func changeLink(_ index: Int, _ random: inout SeededGenerator) {
    var controls = devices[index].panel.controls
    controls.isDown = Int.random(in: 0..<5, using: &random) == 0
    func rate(_ most: Double) -> Double {
      Bool.random(using: &random) ? 0 : Double.random(in: 0...most, using: &random)
    }
    let isOneWay = Int.random(in: 0..<6, using: &random) == 0
    controls.rates = [
      .dropRequest: rate(0.3), .loseReply: isOneWay ? 1 : rate(0.3), .duplicate: rate(0.5),
      .reorder: rate(0.3), .delay: rate(0.5), .delayAnswer: rate(0.3), .throttle: rate(0.1),
      .corrupt: rate(0.1),
    ]
    devices[index].panel.controls = controls
  }

  func mendLink(_ index: Int) {
    devices[index].panel.update { controls in
      controls.isDown = false
      controls.rates = [:]
      controls.next = []
    }
  }

  func expireCursor(_ index: Int) {
    met.insert(.cursors)
    devices[index].panel.inject(.expireCursor)
  }

  /// Sets a device's clock wrong: by seconds to a year, either way.
  func setClockWrong(_ index: Int, _ random: inout SeededGenerator) {
    met.insert(.clocks)
    let back = [5_000, 10 * Self.minute, Self.day, 365 * Self.day]
    let isBack = Int.random(in: 0..<3, using: &random) > 0
    let ahead = [5_000, 4 * Self.minute, Self.day, 365 * Self.day]
    let most = (isBack ? back : ahead)[Int.random(in: 0..<4, using: &random)]
    let jump = Int64.random(in: 1...most, using: &random)
    devices[index].clock.ahead = isBack ? -jump : jump
  }

  /// Lets so much time pass that the zone no longer waits for the others, while one works on.
  func stayAway(_ index: Int, _ random: inout SeededGenerator) async throws {
    met.insert(.absences)
    time.advance(by: 2 * 3_600_000)
    for _ in 0..<2 {
      try await edit(index, &random)
      try await runCycle(index, &random)
      try await runCycle(index, &random)
    }
  }

  func restoreServer(_ random: inout SeededGenerator) throws {
    guard let serverBackup else { return }
    met.insert(.serverRestores)
    let isAnnounced = Bool.random(using: &random)
    try server.cloud.restore(serverBackup, announced: isAnnounced)
    server.noteRestore()
    counts.count(isAnnounced ? "server restored, announced" : "server restored, unannounced")
    for device in devices.indices { devices[device].progress = .init() }
    try forgetWhatIsLost()
  }

  /// Somebody has everything in the zone removed, as an operator of the server may.
  func purgeZone() throws {
    guard try server.purge(account: Self.account) else { return }
    met.insert(.purges)
    counts.count("zones purged")
    for device in devices.indices { devices[device].progress = .init() }
    // What was backed up of the server stands for the zone that is gone.
    serverBackup = nil
    try forgetWhatIsLost()
  }

  // MARK: People

  /// A person lets a device upload what it has, where it asks because the zone was purged.
  ///
  /// The other answers would let the devices hold different records for good.
  func answerQuestion(_ index: Int) async throws {
    guard let store = devices[index].store else { return }
    let peerID = devices[index].peerID
    let isAnswered = try await store.administer(durable: true) { transaction in
      guard let question = try transaction.peer(peerID)?.question, question.asksAboutZone else {
        return false
      }
      try transaction.answer(.upload, to: question, of: peerID)
      return true
    }
    if isAnswered { counts.count("questions answered") }
    devices[index].progress = .init()
  }

  func signOut(_ index: Int, _ random: inout SeededGenerator) {
    let states: [AccountState] = [.signedOut, .restricted]
    devices[index].login.state = states[Int.random(in: 0..<2, using: &random)]
  }

  /// Another person signs in on a device that knows whose data it has.
  func useOtherAccount(_ index: Int) throws {
    let known = try devices[index].client?.rows("SELECT account FROM strandline_peer").first
    guard known?.first?.text == Self.account else { return }
    counts.count("other accounts")
    devices[index].login.state = .available("other")
  }

  /// Lets the server refuse some records of a device, or those that are large.
  func refuseRecords(_ index: Int, _ random: inout SeededGenerator) {
    met.insert(.refusals)
    let entities = edits.entities(of: scene.schema)
    guard let entity = entities.randomElement(using: &random),
      let id = edits.ids(of: entity).randomElement(using: &random)
    else { return }
    let isBySize = Bool.random(using: &random)
    devices[index].panel.update { controls in
      if isBySize { controls.recordBytes = 300 } else { controls.refusedRecords = [id] }
    }
  }

  func takeRecords(_ index: Int) {
    devices[index].panel.update { controls in
      controls.refusedRecords = []
      controls.recordBytes = nil
    }
  }
}

extension PeerQuestion {
  /// Whether it is about the zone; one about the account goes away when that is there again.
  fileprivate var asksAboutZone: Bool {
    switch self {
    case .zonePurged, .zoneReplaced, .zoneNotFound: true
    case .accountChanged: false
    }
  }
}
