import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Synchronization

/// A time of day that a test moves.
final class TestDay: Sendable {
  private let now = Mutex<Int64>(1_800_000_000_000)

  var clock: WallClock { WallClock { self.now.withLock { $0 } } }
  var milliseconds: Int64 { now.withLock { $0 } }

  func advance(days: Double) { now.withLock { $0 += Int64(days * 86_400_000) } }
}

/// Stores with models that ask history to keep earlier values.
enum HistoryFixture {
  /// A store with the note `n` in the folder `f`.
  static func storeWithNote() async throws -> Store {
    let store = try await store()
    try await store.write {
      try $0.insert("Folder", id: RecordID(text: "f"), values: ["name": .text("home")])
      try $0.insert(
        "Note", id: RecordID(text: "n"),
        values: [
          "text": .text("one"), "body": .text("b"), "color": .integer(3), "folder": .text("f"),
        ])
    }
    return store
  }

  /// Notes keep their text and their folder, but not their colour.
  static func notes(preserving: Bool = true) throws -> Schema {
    let keep = preserving ? ", \"preserve\": true" : ""
    return try Schema(
      parsing: """
        {"entities": {
          "Note": {"attributes": {
            "text": {"type": "text", "default": ""\(keep)},
            "body": {"type": "text", "optional": true, "renamedFrom": "content"\(keep)},
            "color": {"type": "integer", "default": 0}},
            "relationships": {"folder": {"to": "Folder", "inverse": "notes", \
        "onDelete": "cascade"\(keep)}}},
          "Folder": {"attributes": {"name": {"type": "text", "default": ""\(keep)}},
            "relationships": {"notes": {"to": "Note", "inverse": "folder", "many": true}}},
          "Word": {"attributes": {"word": {"type": "text", "default": ""\(keep)},
            "count": {"type": "integer", "default": 0\(keep)}}, "identity": ["word"]}
        }}
        """)
  }

  static func store(_ schema: Schema? = nil, day: TestDay? = nil) async throws -> Store {
    try await Store.open(
      .memory, schema: try schema ?? notes(),
      options: StoreOptions(clock: day?.clock ?? .system))
  }
}

extension HistoryFixture {
  /// A store with a note a day, made of two transactions each.
  static func store(on day: TestDay, days: Int) async throws -> Store {
    let store = try await store(day: day)
    for number in 0..<days {
      let id = RecordID(text: "n\(number)")
      day.advance(days: 0.5)
      try await store.write(author: "ann") { try $0.insert("Note", id: id, values: [:]) }
      try await store.write { try $0.update("Note", id, values: ["text": .text("\(number)")]) }
      day.advance(days: 0.5)
    }
    return store
  }
}

extension Store {
  /// How many rows the tables have that pruning is about.
  func tables() async throws -> [String: Int64] {
    try await read { read in
      var counts: [String: Int64] = [:]
      for table in ["log", "transaction", "preserved", "delivery", "receipt", "event"] {
        counts[table] = try read.connection.integer("SELECT count(*) FROM strandline_\(table)")
      }
      return counts
    }
  }

  /// A peer that is followed from now on.
  func follow(_ name: String = "memory") async throws -> Int64 {
    try await administer {
      try $0.followPeer(specification: name, zoneName: "default", environment: "development").id
    }
  }

  func change(_ peer: Int64, _ body: @Sendable (inout PeerRow) -> Void) async throws {
    try await administer { transaction in
      guard var row = try transaction.peer(peer) else { return }
      body(&row)
      try transaction.update(row)
    }
  }

  /// What a peer that has acknowledged up to a sequence would be sent.
  func pending(for peer: Int64, after sequence: Int64 = 0) async throws -> [RecordDelta] {
    try await sealOtherClients()
    return try await read { read in
      let reader = try DeltaReader(read)
      return try read.pendingChanges(after: sequence, for: peer).records
        .compactMap { try reader.delta(for: $0) }
    }
  }

  func apply(_ deltas: [RecordDelta], from peer: Int64) async throws {
    try await importChanges(from: peer) { transaction in
      for delta in deltas { try transaction.apply(delta) }
    }
  }

  /// A token of this store by its number.
  func token(_ sequence: Int64) -> HistoryToken { HistoryToken(store: id, sequence: sequence) }

  /// All changes of history.
  func allChanges() async throws -> [HistoryChange] { try await history().flatMap(\.changes) }

  /// All records of an entity with their values, in the order of their ids.
  func contents(_ entity: String) async throws -> [Record] {
    try await read { try $0.records(Query(entity)) }
  }
}

/// Another SQLite client: a connection that knows nothing of Strandline.
struct ForeignWriter {
  private let connection: Connection

  init(_ store: Store, recursiveTriggers: Bool = false, foreignKeys: Bool = false) throws {
    connection = try Connection(path: store.path, readOnly: false)
    try connection.execute(
      "PRAGMA recursive_triggers = \(recursiveTriggers); PRAGMA foreign_keys = \(foreignKeys)")
  }

  func run(_ sql: String) throws { try connection.execute(sql) }
}
