import Strandline

// What is looked at while the fleet is in trouble.
extension FleetRun {
  /// Looks at a device after something happened to it.
  func look(at index: Int) async throws {
    findings += server.findings
    try checkProgress(index)
    guard let store = devices[index].store else { return }
    let status = try await store.status(deviceName: devices[index].name).first
    guard let status else { return }
    checkReason(status, index)
    if status.standing == .caughtUp, status.setAside == 0 {
      try checkNothingPending(index)
    }
    if let check = scene.check, !status.isCatchingUp, isConsistent(status, index) {
      findings += try await store.read(check).map { "\(devices[index].name): \($0)" }
    }
  }

  /// Whether the app's invariants may be asked of a device now.
  ///
  /// Before its first import, and until it has noticed that the server was put back, a device may
  /// show a part of what others do. It says so itself where it shows a part of an upload whose
  /// device is silent.
  private func isConsistent(_ status: StatusSnapshot, _ index: Int) -> Bool {
    status.asOf != nil && status.notices.isEmpty && !met.contains(.serverRestores)
      && devices[index].progress.hasCursor
  }

  /// (f) Whoever waits or is blocked says why, and what to do.
  private func checkReason(_ status: StatusSnapshot, _ index: Int) {
    guard status.standing == .waiting || status.standing == .blocked else { return }
    counts.count("standing: \(status.standing.rawValue)")
    if status.reason?.isEmpty ?? true {
      findings.append("(f) \(devices[index].name) is \(status.standing) without a reason.")
    }
    if status.cure?.isEmpty ?? true {
      findings.append(
        "(f) \(devices[index].name) is \(status.standing) without a cure: "
          + "\(status.reason ?? "nothing").")
    }
  }

  /// (f) A device with something to send is not caught up.
  private func checkNothingPending(_ index: Int) throws {
    // Whoever has not noticed yet that the zone was put back or purged means what it was before.
    guard !met.contains(.serverRestores), let zone = try server.zone(of: Self.account),
      try readProgress(index)?.zone == zone.id.rawValue
    else { return }
    let states = try server.states(of: Array(ledger.records.keys), in: zone.id)
    let pending = ledger.pending(of: devices[index].writer, beyond: states)
    guard let first = pending.first else { return }
    findings.append(
      "(f) \(devices[index].name) says that it is caught up and the zone lacks \(pending.count) "
        + "records as it has them, among them \(first.entity) \(first.id).")
  }

  /// (f) What a zone had accepted before a device was caught up is on that device.
  func checkStatus(_ index: Int, after report: PeerReport) async throws {
    guard let time = report.caughtUpAt, !met.contains(.clocks), !met.contains(.serverRestores)
    else { return }
    let position = server.position(before: time - devices[index].clock.ahead)
    let imported = try readProgress(index)?.sequence ?? 0
    guard imported < position else { return }
    findings.append(
      "(f) \(devices[index].name) says that it was caught up when the zone had accepted "
        + "\(position), and has imported \(imported).")
  }

  // MARK: Progress

  /// (e) Cursors, proofs and acknowledgements do not go back, but for a full compare.
  func checkProgress(_ index: Int) throws {
    guard let now = try readProgress(index) else { return }
    let before = devices[index].progress
    devices[index].progress = now
    guard now.zone == before.zone, now.incarnation == before.incarnation, before.hasCursor,
      now.hasCursor
    else { return }
    if now.sequence < before.sequence {
      findings.append(
        "(e) \(devices[index].name) went back from \(before.sequence) to \(now.sequence).")
    }
    if now.acknowledged < before.acknowledged, now.acknowledged > 0 || now.compareHead == 0 {
      findings.append(
        "(e) \(devices[index].name) was acknowledged \(before.acknowledged), and now "
          + "\(now.acknowledged).")
    }
  }

  private func readProgress(_ index: Int) throws -> SimulatedDevice.Progress? {
    let row = try devices[index].client?.rows(
      """
      SELECT zone, incarnation, proof_sequence, acknowledged, cursor IS NOT NULL, compare_head
      FROM strandline_peer
      """
    ).first
    return row.map { row in
      SimulatedDevice.Progress(
        zone: row[0].text, incarnation: row[1].integer ?? 0, sequence: row[2].integer ?? 0,
        acknowledged: row[3].integer ?? 0, hasCursor: row[4].integer == 1,
        compareHead: row[5].integer ?? 0)
    }
  }
}
