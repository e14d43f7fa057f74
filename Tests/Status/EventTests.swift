import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import Testing

/// Activities and their phases, as the event log tells them.
@Suite struct EventTests {
  @Test func `an activity that ended tells when, how and how much`() async throws {
    let fixture = try await StatusFixture()
    let id = try await fixture.begin("import", at: 100)
    try await fixture.end(id, at: 200)

    let event = try #require(try await fixture.store.events().first)

    #expect(event.kind == "import")
    #expect(event.peer == "memory")
    #expect((event.start, event.end) == (100, 200))
    #expect(event.succeeded == true)
    #expect(event.records == 3)
    #expect(try await fixture.status().phase == .idle)
  }

  @Test func `a failed activity tells the error and is the phase`() async throws {
    let fixture = try await StatusFixture()
    let id = try await fixture.begin("export", at: 100)
    try await fixture.end(
      id, at: 200,
      error: StorageError(.diskFull, "Could not save, the disk is full.", advice: "Free space."))

    let event = try #require(try await fixture.store.events().first)

    #expect(event.succeeded == false)
    #expect(event.errorCode == "diskFull")
    #expect(event.errorAdvice == "Free space.")
    #expect(
      try await fixture.status().phase == .failed("Could not save, the disk is full."))
  }

  @Test func `an activity runs while its process has the lease`() async throws {
    let fixture = try await StatusFixture()
    let lease = try SyncLease.take(for: fixture.store)
    for (kind, phase): (String, StatusSnapshot.Phase) in [
      ("setup", .settingUp), ("import", .importing), ("export", .exporting),
    ] {
      let id = try await fixture.begin(kind, at: 100)

      let event = try #require(try await fixture.store.events().first)
      #expect(event.succeeded == nil)
      #expect(!event.isInterrupted)
      #expect(try await fixture.status().phase == phase)
      try await fixture.end(id, at: 200)
    }
    withExtendedLifetime(lease) {}
  }

  @Test func `an activity whose process ended is interrupted and runs no longer`() async throws {
    let fixture = try await StatusFixture()
    _ = try await fixture.begin("export", at: 100)

    let event = try #require(try await fixture.store.events().first)

    #expect(event.isInterrupted)
    #expect(event.succeeded == false)
    #expect(event.end == nil)
    #expect(event.errorCode == "interrupted")
    #expect(try await fixture.status().phase == .idle)
  }

  @Test func `an open activity before a later one is interrupted even under a lease`()
    async throws
  {
    let fixture = try await StatusFixture()
    _ = try await fixture.begin("export", at: 100)
    let later = try await fixture.begin("setup", at: 300)
    let lease = try SyncLease.take(for: fixture.store)

    let events = try await fixture.store.events()

    #expect(events.map(\.isInterrupted) == [false, true])
    try await fixture.end(later, at: 400)
    withExtendedLifetime(lease) {}
  }

  @Test func `the latest event comes first and a limit keeps it`() async throws {
    let fixture = try await StatusFixture()
    for time: Int64 in 1...5 {
      try await fixture.end(try await fixture.begin("setup", at: time), at: 9)
    }

    #expect(try await fixture.store.events(limit: 2).map(\.start) == [5, 4])
  }
}
