import Strandline
import StrandlineFaults
import StrandlineMemoryTransport

extension FleetRun {
  /// Ends all trouble, lets everybody answer what is asked, and lets the devices sync until
  /// nothing moves.
  ///
  /// That this takes no more than some rounds is a check of its own.
  func heal() async throws {
    trace.add("heal")
    for index in devices.indices { try await mend(index) }
    for index in devices.indices { try await answer(index) }
    // A cycle that had begun before may be past what was saved since, and proves no rest.
    for index in devices.indices where devices[index].cycle != nil {
      _ = try await settle(index)
    }
    var restless: [String] = []
    for round in 0..<(8 + 3 * devices.count) {
      restless = []
      for index in devices.indices { restless += try await settle(index) }
      trace.add("round \(round) \(restless.count)")
      if restless.isEmpty { break }
      for index in devices.indices { try await answer(index) }
    }
    findings += restless.map { "Not at rest: \($0)" }
    if findings.isEmpty { try await idle() }
  }

  private func mend(_ index: Int) async throws {
    devices[index].panel.controls = FaultControls()
    devices[index].login.state = .available(Self.account)
    devices[index].clock.setRight()
    if met.contains(.upgrades) { try await upgradeModel(index) }
    try await devices[index].store?.handleSwitch(.turnOn)
  }

  /// A person says what becomes of deletes that were held, and waits until what was refused is
  /// offered again.
  private func answer(_ index: Int) async throws {
    try await answerQuestion(index)
    guard let client = devices[index].client, let store = devices[index].store else { return }
    if try client.integer("SELECT count(*) FROM strandline_set_aside") > 0 {
      counts.count("waits for refused records")
      time.advance(by: 7 * 3_600_000)
    }
    guard try client.integer("SELECT count(*) FROM strandline_held_delete") > 0 else { return }
    let before = try image(of: index)
    if (plan.seed &+ UInt64(index)) % 2 == 0 {
      counts.count("held deletes confirmed", try await store.confirmHeldDeletes())
    } else {
      counts.count("held deletes refused", try await store.refuseHeldDeletes())
      ledger.note(from: before, to: try image(of: index), by: devices[index].writer)
    }
  }

  /// One cycle of one device, and what of it keeps the fleet from being at rest.
  private func settle(_ index: Int) async throws -> [String] {
    time.advance(by: 5000)
    let name = devices[index].name
    var random = SeededGenerator(seed: UInt64(time.milliseconds))
    guard let report = try await runCycle(index, &random) else {
      return ["\(name) did not run a cycle."]
    }
    if let error = report.error { return ["\(name): \(error)"] }
    if report.caughtUpAt == nil {
      return ["\(name) is not caught up: \(report.waitingFor)"]
    }
    let moved = report.imported + report.exported + report.conflicts
    return moved == 0
      ? [] : ["\(name) moved \(report.imported), \(report.exported), \(report.conflicts)."]
  }

  /// (h) A fleet at rest sends nothing and writes nothing.
  private func idle() async throws {
    // What was learned in the last round may still be told, such as that a value lost.
    for index in devices.indices { _ = try await settle(index) }
    let before = try restingPlaces()
    for _ in 0..<2 {
      for index in devices.indices { _ = try await settle(index) }
    }
    let after = try restingPlaces()
    if before != after {
      findings.append("(h) An idle fleet went on: \(before) became \(after).")
    }
  }

  /// How often something was sent, where the zone is, and where each log is.
  private func restingPlaces() throws -> [Int64] {
    let heads = try devices.map {
      try $0.client?.integer("SELECT max(sequence) FROM strandline_log") ?? 0
    }
    return [Int64(server.sends), try server.zone(of: Self.account)?.head ?? 0] + heads
  }
}
