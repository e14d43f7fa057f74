import Foundation
import Strandline
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// A device that is killed at a named place of a cycle goes on where it was.
///
/// Steps of writing single files are in `Folder/Killing`, statements of a migration in
/// `Storage/Opening/FailedUpgradeTests`, a server that is killed in `Server/Hostility`.
@Suite(.timeLimit(.minutes(30))) struct NamedPlaceTests {
  /// A place, and how often it is reached before the kill; `in` places count the readings of the
  /// clock, of which the later ones lie inside the transaction.
  struct Place: Sendable, CustomTestStringConvertible {
    let name: String
    let occurrence: Int
    var testDescription: String { "\(name), \(occurrence)" }

    init(_ name: String, _ occurrence: Int = 1) {
      self.name = name
      self.occurrence = occurrence
    }
  }

  private static let importing = [
    Place("after askAccount"), Place("after openZone"), Place("after reconcile"),
    Place("after fetch"), Place("before apply"), Place("in apply", 2), Place("in apply", 3),
    Place("after apply"),
  ]
  private static let exporting = [
    Place("in save", 2), Place("after save"), Place("before gather"), Place("after gather"),
    Place("after send", 1), Place("after send", 2), Place("in acknowledge", 2),
    Place("after acknowledge"),
  ]
  private static let ending = [
    Place("before exchangeReceipts"), Place("after exchangeReceipts"), Place("in recordReports"),
    Place("after recordReports"), Place("before end"), Place("in end"), Place("after end"),
  ]
  private static let folderOnly = [
    Place("in send", 3), Place("in send", 7), Place("in exchangeReceipts", 2),
    Place("in exchangeReceipts", 6),
  ]

  @Test(arguments: MeetingPlace.allCases)
  func `F1: a device killed at any place of a cycle loses nothing and doubles nothing`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    let places =
      Self.importing + Self.exporting + Self.ending
      + (meeting == .folder ? Self.folderOnly : [])
    try await begin(world)
    for place in places {
      try await world.editOnReader()
      world.nextRound()
      let killed = try await world.writer(
        "edit:\(world.round):2", at: place.name, place.occurrence
      ).run()
      world.note(killed)
      #expect(killed.wasKilled, "\(place.testDescription): \(killed.output)\(killed.error)")
      try await world.expectWhole("\(meeting), \(place.testDescription)")
    }
  }

  /// Both devices have something, so that each setting is known to both.
  private func begin(_ world: KilledWorld) async throws {
    world.nextRound()
    world.note(try await world.writer("edit:\(world.round):2").run())
    try await world.syncReader()
    try await world.expectWhole("at the beginning")
  }

  @Test(arguments: MeetingPlace.allCases)
  func `F1: a device killed in any piece of its first import goes on with the next`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    for _ in 0..<15 { try await world.editOnReader() }
    var kills = 0
    for occurrence in 1...3 {
      for name in ["before apply", "in apply", "after apply"] {
        let outcome = try await world.writer("import", at: name, occurrence).run()
        if outcome.wasKilled { kills += 1 }
      }
    }
    #expect(kills >= 4, "the import was not killed")
    try await world.expectWhole("\(meeting)")
  }

  @Test func `F36: a device killed inside a migration has the old store, and migrates once`()
    async throws
  {
    let world = try await KilledWorld(.server)
    try await begin(world)
    try await world.editOnReader()
    let before = try await world.contents(of: world.reader.store)
    for occurrence in [1, 2, 4] {
      let killed = try await world.writer("migrate", at: "in open", occurrence).run()
      #expect(killed.wasKilled, "\(occurrence): \(killed.output)\(killed.error)")
    }
    // It is still the old one, and an old program goes on with it.
    try await world.expectWhole("after the kills")
    #expect(try await world.contents(of: world.reader.store) == before)

    let migrated = try await world.writer("migrate").run()
    #expect(migrated.code == 0, "\(migrated.output)\(migrated.error)")
    // The reader carries what it does not know, and has it when it is of the later version, too.
    try await world.syncReader()
    try await world.reopenReader(try StepperModel.schema(isLater: true))
    try await world.expectWhole("after the migration")
    let places = try await world.reader.store.read { read in
      try read.records(Query("Item")).filter { item in
        item["place"].text != "at \(item["name"].text ?? "")"
      }
    }
    #expect(places.isEmpty, "\(places)")
  }

  @Test(arguments: MeetingPlace.allCases)
  func `a purge that is killed is repeated, and deletes nothing on a device`(
    meeting: MeetingPlace
  ) async throws {
    let world = try await KilledWorld(meeting)
    try await begin(world)
    let before = try await world.contents(of: world.reader.store)
    let places =
      [Place("before purge")]
      + (meeting == .folder ? [Place("in purge", 2), Place("in purge", 4)] : [])
      + [Place("after purge")]
    for place in places {
      let killed = try await world.writer("purge", at: place.name, place.occurrence).run()
      #expect(killed.wasKilled, "\(place.testDescription): \(killed.output)\(killed.error)")
    }
    // Whether it is the first or a later one that is heard of, nobody deletes or uploads unasked.
    _ = try await world.writer("purge").run()
    let stopped = try await world.writer("import").run()
    #expect(stopped.code == 1, "\(stopped.output)")
    #expect(stopped.output.contains("failed zonePurged: "), "\(stopped.output)")
    let report = try await world.reader.syncNow()
    #expect(report.error?.codeName == "zonePurged", "\(report)")
    #expect(try await world.contents(of: world.reader.store) == before)
    let writer = try await Store.open(
      .file(world.folder.path("writer/store.sqlite")), schema: try StepperModel.schema(),
      options: StoreOptions(mayCreate: false))
    #expect(try await world.contents(of: writer) == before)
    try await world.expectSound(writer, "after the purge")
  }
}
