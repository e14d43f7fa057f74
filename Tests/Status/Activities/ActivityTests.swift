import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import Testing

/// Setup, import and export, each told by itself.
@Suite struct ActivityTests {
  private static let error = StorageError(
    .diskFull, "Could not save, the disk is full.", advice: "Free space.")

  private func run(
    _ fixture: StatusFixture, _ kind: String, _ start: Int64, failing: Bool = false
  ) async throws {
    let id = try await fixture.begin(kind, at: start)
    try await fixture.end(id, at: start + 10, error: failing ? Self.error : nil)
  }

  @Test func `a good import does not clear a failed export`() async throws {
    let fixture = try await StatusFixture()
    try await run(fixture, "export", 100, failing: true)
    try await run(fixture, "setup", 200)
    try await run(fixture, "import", 300)

    let status = try await fixture.status()

    #expect(status.activity(.export)?.outcome == .failed)
    #expect(status.activity(.export)?.errorCode == "diskFull")
    #expect(status.activity(.import)?.outcome == .succeeded)
    #expect(status.failures.map(\.kind) == [.export])
    #expect(status.phase == .failed("Could not save, the disk is full."))
  }

  @Test func `a good export clears a failed one and tells when it last succeeded`() async throws {
    let fixture = try await StatusFixture()
    try await run(fixture, "export", 100, failing: true)
    try await run(fixture, "export", 200)

    let status = try await fixture.status()

    #expect(status.failures.isEmpty)
    #expect(status.phase == .idle)
    #expect(status.activity(.export)?.lastSuccess == 210)
  }

  @Test func `a failure tells when its kind last succeeded`() async throws {
    let fixture = try await StatusFixture()
    try await run(fixture, "export", 100)
    try await run(fixture, "export", 200, failing: true)

    #expect(try await fixture.status().activity(.export)?.lastSuccess == 110)
    #expect(try await fixture.status().activity(.export)?.end == 210)
  }

  @Test func `an activity that ended without success and without an error has failed`()
    async throws
  {
    let fixture = try await StatusFixture()
    let id = try await fixture.begin("import", at: 100)
    try await fixture.store.administer {
      try $0.connection.run("UPDATE strandline_event SET ended = 200 WHERE id = ?", [.integer(id)])
    }

    let status = try await fixture.status()
    let event = try #require(try await fixture.store.events().first)

    #expect(status.activity(.import)?.outcome == .failed)
    #expect(status.activity(.import)?.errorCode == "unexplained")
    #expect(status.phase == .failed("Could not finish the import, no reason was told."))
    #expect(event.succeeded == false)
    #expect(event.errorCode == "unexplained")
  }

  @Test func `an export whose answer was lost is settled once the store was caught up`()
    async throws
  {
    let fixture = try await StatusFixture()
    try await run(fixture, "export", 100, failing: true)
    try await fixture.change { $0.caughtUp = 109 }
    #expect(try await fixture.status().failures.count == 1)

    try await fixture.change { $0.caughtUp = 500 }

    #expect(try await fixture.status().activity(.export)?.outcome == .settled)
    #expect(try await fixture.status().phase == .idle)
  }

  @Test func `what is recorded in the middle of a phase does not end that`() async throws {
    let fixture = try await StatusFixture()
    let lease = try SyncLease.take(for: fixture.store)
    _ = try await fixture.begin("import", at: 100)
    let peer = fixture.peer
    try await fixture.store.administer {
      try $0.recordEvent(.conflict, peer: peer, process: 1, at: 110, records: 2)
    }

    let status = try await fixture.status()
    let events = try await fixture.store.events()

    #expect(status.phase == .importing)
    #expect(status.activity(.import)?.outcome == .running)
    #expect(events.map(\.kind) == ["conflict", "import"])
    #expect(events.map(\.isInterrupted) == [false, false])
    withExtendedLifetime(lease) {}
  }

  @Test func `an activity of a process that ended is interrupted and no failure`() async throws {
    let fixture = try await StatusFixture()
    _ = try await fixture.begin("import", at: 100)

    #expect(try await fixture.status().activity(.import)?.outcome == .interrupted)
    #expect(try await fixture.status().failures.isEmpty)
    #expect(try await fixture.status().phase == .idle)
  }

  @Test func `the log is bounded and keeps the latest of each peer and kind`() async throws {
    let fixture = try await StatusFixture()
    try await run(fixture, "export", 100)
    try await run(fixture, "export", 200, failing: true)
    let peer = fixture.peer
    try await fixture.store.administer { transaction in
      for time in 0..<2100 {
        try transaction.recordEvent(.import, peer: peer, process: 1, at: Int64(1000 + time))
      }
    }

    let events = try await fixture.store.events(limit: 5000)
    let status = try await fixture.status()

    #expect(events.count == 2002)
    #expect(status.activity(.export)?.outcome == .failed)
    #expect(status.activity(.export)?.lastSuccess == 110)
  }

  @Test func `work that is put off is a state with its reason and no failure`() async throws {
    let fixture = try await StatusFixture()
    try await run(fixture, "setup", 100, failing: true)
    for (code, deferral): (String, Deferral) in [
      ("unreachable", .offline), ("throttled", .throttled), ("accountUnavailable", .signedOut),
      ("accountRestricted", .restricted), ("notAuthorized", .noAccount),
      ("accountUndetermined", .accountUnknown),
    ] {
      try await fixture.change { peer in
        peer.waitingUntil = 9000
        peer.reasonCode = code
        peer.reason = "Could not go on."
      }

      let status = try await fixture.status()

      #expect(status.deferral == deferral)
      #expect(Wording().phaseKey(status) == Wording.Key(deferral))
      #expect(!Wording().phase(status).contains("not succeed"))
    }
  }

  @Test func `cycles that run by hand only are a reason to wait`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { $0.lastSuccess = 1 }
    try await fixture.store.administer {
      try $0.connection.run("UPDATE strandline_switch SET automatic = 0")
    }
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }

    let status = try await fixture.status()

    #expect(status.deferral == .schedule)
    #expect(!status.isAutomatic)
  }
}
