// The person's switch, with all that follows from turning it.
//
//     let consequences = try await notes.consequences(of: .offWithPurge)
//     // Show consequences.sentences(…) and ask; whoever says no has changed nothing.
//     try await notes.switchOff(purge: true)
//     for outcome in try await notes.purge() { print(outcome.peer, outcome.isDone) }
extension SyncedStore {
  /// Tells what a change of the switch would do; nothing is changed by it.
  ///
  /// - Parameter change: The change.
  /// - Returns: What would follow, from the store's tables at one moment.
  /// - Throws: Errors of the store.
  public func consequences(of change: SwitchChange) async throws -> SwitchConsequences {
    try await store.consequences(of: change)
  }

  /// Switches sync on, and begins to sync at once where this process may.
  ///
  /// Purges that are still pending are dropped. Call it when the person has confirmed.
  ///
  /// - Returns: Where the switch stands then, and what it waits for.
  /// - Throws: Errors of the store.
  @discardableResult
  public func switchOn() async throws -> SwitchState {
    try await store.handleSwitch(.turnOn)
    for engine in engines { await engine.refresh() }
    await updateBackupExclusion()
    return try await store.switchState()
  }

  /// Switches sync off; everything stays on this device.
  ///
  /// A cycle that runs by itself is ended between two of its steps. A purge stays pending until it
  /// is done: it is tried in the background where syncing runs, and by ``purge()``. Call it when the
  /// person has confirmed.
  ///
  /// - Parameter purge: Whether the copies in all followed zones are to be removed.
  /// - Returns: Where the switch stands then, and what it waits for.
  /// - Throws: Errors of the store.
  @discardableResult
  public func switchOff(purge: Bool) async throws -> SwitchState {
    try await store.handleSwitch(.turnOff(purge: purge))
    for engine in engines { await engine.turnOff() }
    await updateBackupExclusion()
    return try await store.switchState()
  }

  /// Drops purges that are still pending, and leaves sync off.
  public func keepCloudCopy() async throws {
    try await store.handleSwitch(.keepCopy)
  }

  /// Tries now what purges are pending, whatever was waited for.
  ///
  /// - Returns: What became of each that a followed peer is meant by, in the order of the peers.
  /// - Throws: `leaseHeld`, where another process syncs this store and does it; errors of the
  ///   store.
  @discardableResult
  public func purge() async throws -> [PurgeOutcome] {
    var outcomes: [PurgeOutcome] = []
    guard try await store.read({ try $0.syncSwitch().isPurgePending }) else { return [] }
    for engine in engines {
      if let outcome = try await engine.purge(keepingWaits: false) { outcomes.append(outcome) }
    }
    return outcomes
  }

  /// Marks the store's files for backup programs as the switch wants it, see `BackupExclusion`.
  ///
  /// That a disk has no such mark keeps nobody from syncing; the state tells.
  @discardableResult
  package func updateBackupExclusion() async -> BackupState? {
    guard !store.isReadOnly, !store.isInMemory else { return nil }
    let exclusion = BackupExclusion(storeAt: store.path)
    do {
      let wanted = try await store.read { try $0.wantsBackupExclusion() }
      let found = exclusion.state()
      if !wanted && found.extent == .included { return found }
      return await exclusion.set(excluded: wanted)
    } catch {
      // A store that cannot be read says so at the next call; its marks stay as they are.
      return nil
    }
  }
}
