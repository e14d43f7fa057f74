import Foundation
import Strandline
import StrandlineFaults

/// A real store with a real engine in the place of a check.
struct ContractStore {
  let number: Int
  let synced: SyncedStore
  /// The faults between the engine and the place.
  let panel: FaultPanel
  /// Whether the place ends with this process.
  let isEphemeral: Bool

  init(_ number: Int, in scene: ContractScene) async throws {
    self.number = number
    panel = FaultPanel(seed: UInt64(number))
    synced = try await SyncedStore.open(
      .memory, schema: try ContractModel.schema(), registry: Registry([]),
      options: SyncEngine.Options(
        zoneName: ContractDevice.zoneName, deviceName: "store \(number)"),
      storeOptions: StoreOptions(clock: scene.time.clock(aheadBy: 0), readerCount: 1))
    let transport = try await scene.connect(number)
    isEphemeral = transport.traits.isEphemeral
    try await synced.use(FaultyTransport(transport, panel: panel, sleep: { _ in }))
  }

  /// Saves notes in one transaction.
  func save(_ titles: [String]) async throws {
    try await synced.store.write { write in
      for title in titles { try write.save(ContractNote(title: title)) }
    }
  }

  /// The titles of the notes that the store shows, sorted.
  func titles() async throws -> [String] {
    try await synced.store.read { try $0.fetch(ContractNote.self).map(\.title).sorted() }
  }

  /// One cycle, which has to come to its end.
  @discardableResult
  func sync() async throws -> SyncReport {
    let report = try await synced.syncNow()
    if let error = report.error {
      throw ContractBreach("it stopped the engine of store \(number): \(error)")
    }
    return report
  }
}

/// The model of the contract's stores and fleets.
enum ContractModel {
  static func schema() throws -> Schema {
    try Schema([ContractNote.self, ContractFolder.self, ContractLabel.self])
  }
}

struct ContractNote: Model {
  var id = RecordID()
  var title = ""
  var count = 0
  var done = false
  var body: Data?
  var folder: Reference<ContractFolder>?

  static let layout = ModelLayout(relationships: [
    .toOne("folder", inverse: "notes"),
    .toMany("labels", of: ContractLabel.self, inverse: "notes"),
  ])
}

extension ContractNote {
  init(title: String) {
    self.init()
    self.title = title
  }
}

struct ContractFolder: Model {
  var id = RecordID()
  var name = ""

  static let layout = ModelLayout(relationships: [
    .toMany("notes", of: ContractNote.self, inverse: "folder")
  ])
}

struct ContractLabel: Model {
  var id = RecordID()
  var name = ""

  static let layout = ModelLayout(relationships: [
    .toMany("notes", of: ContractNote.self, inverse: "labels")
  ])
}
