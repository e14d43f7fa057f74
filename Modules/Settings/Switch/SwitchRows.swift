import StrandlineModels
public import StrandlineStorage

extension ReadTransaction {
  /// The switch as the store keeps it.
  public func syncSwitch() throws -> SyncSwitch {
    var withdrawn: Set<Int64> = []
    var purges: [PendingPurge] = []
    try connection.forEach(
      """
      SELECT g.peer, p.specification, g.asked, g.attempts, g.retry_at, g.code, g.message, g.advice,
        g.withdrawn
      FROM strandline_purge AS g JOIN strandline_peer AS p ON p.id = g.peer ORDER BY g.peer
      """
    ) { row in
      guard row.integer(8) == 0 else {
        withdrawn.insert(row.integer(0))
        return
      }
      let failure = row.optionalText(5).map {
        PendingPurge.Failure(
          code: $0, message: row.optionalText(6) ?? "", advice: row.optionalText(7) ?? "",
          retryAt: row.optionalInteger(4))
      }
      purges.append(
        PendingPurge(
          peer: row.integer(0), specification: row.text(1), asked: row.integer(2),
          attempts: Int(row.integer(3)), failure: failure))
    }
    return try connection.first("SELECT wanted, automatic, changed FROM strandline_switch") {
      SyncSwitch(
        isWanted: $0.integer(0) != 0, isAutomatic: $0.integer(1) != 0, purges: purges,
        changed: $0.optionalInteger(2), withdrawn: withdrawn)
    } ?? SyncSwitch()
  }

  /// Takes one step of the switch in this transaction and keeps the result.
  @discardableResult
  package func handleSwitch(_ event: SyncSwitch.Event, at now: Int64) throws -> SyncSwitch {
    var state = try syncSwitch()
    let zones = try peers().filter { $0.isFollowed && $0.zone != nil }.map {
      SyncSwitch.Zone(peer: $0.id, specification: $0.specification)
    }
    state.handle(event, zones: zones, at: now)
    try keep(state)
    return state
  }

  private func keep(_ state: SyncSwitch) throws {
    try connection.run(
      "UPDATE strandline_switch SET wanted = ?, automatic = ?, pending_purge = ?, changed = ?",
      [
        .integer(state.isWanted ? 1 : 0), .integer(state.isAutomatic ? 1 : 0),
        .integer(state.isPurgePending ? 1 : 0), .init(state.changed),
      ])
    try connection.run("DELETE FROM strandline_purge")
    for purge in state.purges {
      try connection.run(
        """
        INSERT INTO strandline_purge(peer, asked, attempts, retry_at, code, message, advice)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          .integer(purge.peer), .integer(purge.asked), .integer(Int64(purge.attempts)),
          .init(purge.failure?.retryAt), .init(purge.failure?.code),
          .init(purge.failure?.message), .init(purge.failure?.advice),
        ])
    }
    for peer in state.withdrawn.sorted() {
      try connection.run(
        "INSERT INTO strandline_purge(peer, asked, withdrawn) VALUES (?, 0, 1)", [.integer(peer)])
    }
  }
}

extension Store {
  /// Takes one step of the switch and keeps the result.
  ///
  /// It says nothing to engines that run: `SyncedStore.switchOn()` and `switchOff(_:)` do.
  @discardableResult
  public func handleSwitch(_ event: SyncSwitch.Event) async throws -> SyncSwitch {
    let now = clock.milliseconds
    return try await administer(durable: true) { try $0.handleSwitch(event, at: now) }
  }
}
