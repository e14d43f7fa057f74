import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// A store in memory, and the ways in which others change it behind a context's back.
struct TestStore {
  let store: Store

  init() async throws {
    store = try await Store.open(.memory, schema: try SampleSchema.todo())
  }

  /// Who changes the store.
  enum Writer: String, CaseIterable, Sendable {
    case sameProcess
    case anotherContext
    case anotherOpening
    case plainSQL
    case anImport
  }

  /// One change that somebody makes.
  enum Edit: Sendable {
    case insert(String, RecordID, [String: Value])
    case update(String, RecordID, [String: Value])
    case delete(String, RecordID)
  }

  func item(_ name: String, note: String? = nil, priority: Int64 = 0) async throws -> RecordID {
    try await store.write {
      try $0.insert(
        "TodoItem",
        values: [
          "name": .text(name), "note": note.map(Value.text) ?? .null,
          "priority": .integer(priority),
        ])
    }
  }

  func record(_ entity: String, _ id: RecordID) async throws -> Record? {
    try await store.read { try $0.record(entity, id) }
  }

  /// Makes a change as another would.
  func make(_ edit: Edit, by writer: Writer = .sameProcess) async throws {
    switch writer {
    case .sameProcess: try await store.write { try Self.apply(edit, to: $0) }
    case .anotherContext: try await makeInContext(edit)
    case .anotherOpening:
      let other = try await Store.open(.file(store.path), schema: store.schema)
      try await other.write { try Self.apply(edit, to: $0) }
    case .plainSQL: try makeInSQL(edit)
    case .anImport: try await makeElsewhere { try Self.apply(edit, to: $0) }
    }
  }

  private static func apply(_ edit: Edit, to transaction: WriteTransaction) throws {
    switch edit {
    case .insert(let entity, let id, let values):
      try transaction.insert(entity, id: id, values: values)
    case .update(let entity, let id, let values):
      try transaction.update(entity, id, values: values)
    case .delete(let entity, let id): try transaction.delete(entity, id)
    }
  }

  private func makeInContext(_ edit: Edit) async throws {
    let context = EditingContext(store)
    switch edit {
    case .insert(let entity, let id, let values):
      try context.insert(entity, id: id, values: values)
    case .update(let entity, let id, let values):
      _ = try await context.record(entity, id)
      try context.update(entity, id, values: values)
    case .delete(let entity, let id):
      _ = try await context.record(entity, id)
      try context.delete(entity, id)
    }
    try await context.save()
  }

  private func makeInSQL(_ edit: Edit) throws {
    let connection = try Connection(path: store.path, readOnly: false)
    try connection.execute("PRAGMA foreign_keys = ON")
    switch edit {
    case .insert(let entity, let id, let values):
      let (names, marks) = (values.keys.sorted(), values.map { _ in ", ?" }.joined())
      try connection.run(
        "INSERT INTO \(entity)(id\(names.map { ", \($0)" }.joined())) VALUES (?\(marks))",
        [id.value] + names.map { values[$0] ?? .null })
    case .update(let entity, let id, let values):
      for (name, value) in values {
        try connection.run("UPDATE \(entity) SET \(name) = ? WHERE id = ?", [value, id.value])
      }
    case .delete(let entity, let id):
      try connection.run("DELETE FROM \(entity) WHERE id = ?", [id.value])
    }
  }

  /// Lets another device that knows everything make changes, and imports what it sends.
  func makeElsewhere(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) async throws {
    let device = try await TestStore().store
    try await Self.send(from: store, to: device, as: 1)
    try await device.write { try body($0) }
    try await Self.send(from: device, to: store, as: 1)
  }

  /// Sends everything that did not come from the peer; what is known already changes nothing.
  private static func send(from source: Store, to target: Store, as peer: Int64) async throws {
    try await source.sealOtherClients()
    let deltas = try await source.read { read in
      let reader = try DeltaReader(read)
      return try read.pendingChanges(after: 0, for: peer).records
        .compactMap { try reader.delta(for: $0) }
    }
    try await target.importChanges(from: peer) { transaction in
      for delta in deltas { try transaction.apply(delta) }
    }
  }
}
