import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Where two devices meet.
enum MeetingPlace: String, CaseIterable, Sendable {
  case folder
  case server
}

/// A writer in a process of its own that is killed or stopped, and a reader in this process that
/// edits, too; they meet in a folder or at a server, which is a process as well.
final class KilledWorld {
  let folder: TemporaryFolder
  let place: MeetingPlace
  let server: ServerProcess
  let specification: String
  private let token: String
  private(set) var reader: SyncedStore
  private(set) var round = 0
  /// The names that the writer said were saved.
  private(set) var saved: Set<String> = []

  init(_ place: MeetingPlace) async throws {
    folder = try TemporaryFolder()
    self.place = place
    server = ServerProcess(in: folder)
    switch place {
    case .folder:
      try folder.makeFolder("shared")
      specification = "directory:" + folder.path("shared")
      token = "-"
    case .server:
      try await server.start()
      token = try await server.signUp("anna")
      specification = server.address
    }
    reader = try await SyncedStore.open(
      .file(folder.path("reader/store.sqlite")), schema: try StepperModel.schema(),
      registry: Registry([]), options: SyncEngine.Options(deviceName: "reader"))
    try await reader.use(try transport())
  }

  private func transport() throws -> any Transport {
    let named = TransportSpecification(specification)
    return switch place {
    case .folder: DirectoryTransport(path: named.address)
    case .server: try HTTPTransport(TransportConfiguration(specification: named, tokenFile: token))
    }
  }

  /// Begins the next round, whose number is in the names of what the writer saves.
  func nextRound() {
    round += 1
  }

  /// The writer's process, which may end itself or do something else at a place.
  func writer(
    _ task: String, store: String = "writer", at place: String? = nil, _ occurrence: Int = 1,
    action: String? = nil, under wrapper: [String] = []
  ) throws -> ChildProcess {
    var words = wrapper + [try BuiltProgram.path("StepperFixture")]
    words += [folder.path(store + "/store.sqlite"), specification, token, store, task]
    if let place { words += [place, String(occurrence)] + (action.map { [$0] } ?? []) }
    return ChildProcess(folder: folder, executable: words[0], arguments: Array(words.dropFirst()))
  }

  /// Remembers what a writer said was saved.
  func note(_ outcome: Outcome) {
    for line in outcome.output.split(separator: "\n") where line.hasPrefix("saved ") {
      saved.insert(String(line.dropFirst("saved ".count)))
    }
  }

  /// Saves an item and a setting on the reader and syncs it, so that the writer has to import.
  func editOnReader() async throws {
    round += 1
    let name = "reader-\(round)"
    try await reader.store.write { write in
      try write.insert("Item", values: ["name": .text(name + "-a"), "note": .text(name)])
      let known = try write.records(Query("Setting")).first { $0["key"] == .text("last") }
      if let known { try write.update("Setting", known.id, values: ["value": .text(name)]) }
    }
    saved.insert(name)
    _ = try await syncReader()
  }

  @discardableResult
  func syncReader() async throws -> SyncReport {
    let report = try await reader.syncNow()
    if let error = report.error { throw error }
    return report
  }

  /// Runs the writer to its end, which sends what it has and takes what the reader had sent, then
  /// the reader, and checks that nothing is lost, doubled, pending or broken.
  func expectWhole(_ comment: String, at location: SourceLocation = #_sourceLocation) async throws {
    let outcome = try await writer("import").run()
    #expect(
      outcome.code == 0, "\(comment): \(outcome.output)\(outcome.error)", sourceLocation: location)
    try await syncReader()
    let writer = try await Store.open(
      .file(folder.path("writer/store.sqlite")), schema: reader.store.schema,
      options: StoreOptions(mayCreate: false, readerCount: 1))
    defer { writer.close() }
    let found = try await contents(of: writer)
    #expect(try await contents(of: reader.store) == found, "\(comment)", sourceLocation: location)
    let names = Set(found.map { $0.split(separator: "|")[1] })
    let lost = saved.filter { !names.contains("\($0)-a") }
    #expect(lost.isEmpty, "\(comment): lost \(lost)", sourceLocation: location)
    for store in [writer, reader.store] {
      try await expectSound(store, comment, at: location)
      for status in try await store.status(deviceName: "x") {
        #expect(status.pending == 0, "\(comment): \(status)", sourceLocation: location)
        #expect(status.standing == .caughtUp, "\(comment): \(status)", sourceLocation: location)
      }
    }
  }

  /// Checks that a store keeps its rules, and that each record was inserted once.
  func expectSound(
    _ store: Store, _ comment: String, at location: SourceLocation = #_sourceLocation
  ) async throws {
    let problems = try await store.checkup().filter { $0.level == .problem }
    #expect(problems.isEmpty, "\(comment): \(problems)", sourceLocation: location)
    let (broken, doubled) = try await store.read { read in
      let doubled = try read.table(
        of: """
          SELECT hex(record), count(*) FROM strandline_log WHERE kind = 1
          GROUP BY entity, record HAVING count(*) > 1
          """)
      return (try read.brokenInvariants().map { "\($0)" }, doubled.rows)
    }
    #expect(broken.isEmpty, "\(comment): \(broken)", sourceLocation: location)
    #expect(doubled.isEmpty, "\(comment): \(doubled)", sourceLocation: location)
  }

  /// All records that both models know, a line each.
  func contents(of store: Store) async throws -> [String] {
    try await store.read { read in
      let items = try read.records(Query("Item")).map {
        "\($0.id)|\($0["name"].text ?? "")|\($0["note"].text ?? "")"
      }
      let settings = try read.records(Query("Setting")).map {
        "\($0.id)|\($0["key"].text ?? "")|\($0["value"].text ?? "")"
      }
      return (items + settings).sorted()
    }
  }

  /// Opens the reader's store with another model.
  func reopenReader(_ schema: Schema) async throws {
    await reader.close()
    reader = try await SyncedStore.open(
      .file(folder.path("reader/store.sqlite")), schema: schema, registry: Registry([]),
      options: SyncEngine.Options(deviceName: "reader"))
    try await reader.use(try transport())
  }
}
