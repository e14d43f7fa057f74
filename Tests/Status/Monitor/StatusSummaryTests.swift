import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import Testing

/// Several stores in a few values.
@Suite struct StatusSummaryTests {
  private func status(
    _ name: String, _ change: (inout StatusSnapshot) -> Void = { _ in }
  ) async throws -> StoreStatus {
    var snapshot = try await StatusFixture().status()
    snapshot.standing = .caughtUp
    snapshot.firstLaunch = .hasRecords
    change(&snapshot)
    return StoreStatus(name: name, snapshots: [snapshot], firstLaunch: snapshot.firstLaunch)
  }

  @Test func `the worst standing stays visible, whichever store has it`() async throws {
    let good = try await status("photos") { $0.lastSuccessfulActivity = 9000 }
    let bad = try await status("notes") { $0.standing = .blocked }

    for stores in [[good, bad], [bad, good]] {
      let summary = StatusSummary(stores)
      #expect(summary.standing == .blocked)
      #expect(summary.worst?.store == "notes")
      #expect(summary.lastSuccessfulActivity == 9000)
    }
  }

  @Test func `a store where sync is off hides nothing of one that syncs`() async throws {
    let off = try await status("local") { $0.standing = .off }
    let on = try await status("notes")

    #expect(StatusSummary([off, on]).standing == .caughtUp)
    #expect(StatusSummary([off]).standing == .off)
  }

  @Test func `failures are kept by store, peer and kind, and pending changes are added`()
    async throws
  {
    let fixture = try await StatusFixture()
    let id = try await fixture.begin("export", at: 100)
    try await fixture.end(
      id, at: 200, error: StorageError(.diskFull, "Could not save.", advice: "Free space."))
    let failed = try await fixture.status()
    let notes = StoreStatus(name: "notes", snapshots: [failed], firstLaunch: .hasRecords)
    let photos = try await status("photos") { $0.pendingByEntity = ["Tag": 2] }

    let summary = StatusSummary([photos, notes])

    #expect(
      summary.failures == [
        StatusSummary([notes]).failures[0]
      ])
    #expect(summary.failures.first?.store == "notes")
    #expect(summary.failures.first?.kind == .export)
    #expect(summary.failures.first?.code == "diskFull")
    #expect(summary.pending == 2)
  }

  @Test func `nothing is called empty while a store is loading or checks`() async throws {
    let empty = StoreStatus(name: "a", firstLaunch: .empty)
    let checking = StoreStatus(name: "b", firstLaunch: .checking)
    let loading = StoreStatus(name: "c", firstLaunch: .loading)
    let full = StoreStatus(name: "d", firstLaunch: .hasRecords)

    #expect(StatusSummary([empty]).firstLaunch == .empty)
    #expect(StatusSummary([empty, checking]).firstLaunch == .checking)
    #expect(StatusSummary([empty, checking, loading]).firstLaunch == .loading)
    #expect(StatusSummary([empty, checking, loading, full]).firstLaunch == .hasRecords)
  }
}
