import StrandlineModels
import StrandlineStorage
import Synchronization
import Testing

/// Steps that change records for a new model run once, as ordinary edits.
@Suite struct DataMigrationTests {
  private static let id = RecordID(text: "x")

  private static func model(_ version: Int, _ entities: String) throws -> Schema {
    try Schema(parsing: "{\"version\": \(version), \"entities\": {\(entities)}}")
  }

  private static let item = ModelText.item(ModelText.name, ModelText.count)
  private static let twoTables =
    ModelText.item(ModelText.name, more: ModelText.toList)
    .replacing(
      "\"inverse\": \"items\"}", with: "\"inverse\": \"items\", \"onDelete\": \"cascade\"}")
    + "," + ModelText.list

  private static func naming(_ version: Int, _ name: String) -> DataMigration {
    DataMigration(version: version) { transaction in
      for record in try transaction.records(Query("Item")) {
        try transaction.update("Item", record.id, values: ["name": .text(name)])
      }
    }
  }

  private func open(
    _ world: MigrationWorld, _ version: Int, _ entities: String = item,
    steps: [DataMigration]
  ) async throws -> Store {
    try await Store.open(
      .file(world.path), schema: Self.model(version, entities),
      options: StoreOptions(dataMigrations: steps))
  }

  @Test func `steps run once, in the order of their versions`() async throws {
    let world = try MigrationWorld()
    let ran = Mutex<[Int]>([])
    let steps = [4, 2, 3, 1, 9].map { version in
      DataMigration(version: version) { _ in ran.withLock { $0.append(version) } }
    }
    let first = try await open(world, 1, steps: steps)
    try await first.write { try $0.insert("Item", id: Self.id, values: [:]) }
    #expect(ran.withLock { $0 } == [])

    _ = try await open(world, 3, steps: steps)
    #expect(ran.withLock { $0 } == [2, 3])
    _ = try await open(world, 3, steps: steps)
    _ = try await open(world, 2, steps: steps)
    _ = try await open(world, 4, steps: steps)
    _ = try await open(world, 4, steps: steps)

    #expect(ran.withLock { $0 } == [2, 3, 4])
  }

  @Test func `a new store has nothing to migrate`() async throws {
    let world = try MigrationWorld()
    let step = DataMigration(version: 2) { try $0.insert("Item", values: [:]) }

    let store = try await open(world, 3, steps: [step])

    #expect(try await store.read { try $0.count(Query("Item")) } == 0)
  }

  @Test func `edits of a step are stamped, stand in history and are sent`() async throws {
    let world = try MigrationWorld()
    let old = try await open(world, 1, steps: [])
    try await old.write {
      try $0.insert("Item", id: Self.id, values: ["name": .text("a")])
      try $0.insert("Item", id: RecordID(text: "same"), values: ["name": .text("new")])
    }
    let head = try await old.read { try $0.logHead() }

    let new = try await open(world, 2, steps: [Self.naming(2, "new")])

    #expect(
      try await new.read { try $0.log(after: head) }.map(\.what)
        == [.update("Item", "x", ["name"])])
    let contexts = try await new.read { read in
      try read.connection.map(
        "SELECT context FROM strandline_transaction WHERE last > ?", [.integer(head)]
      ) {
        $0.optionalText(0)
      }
    }
    #expect(contexts == ["data migration 2"])
    let sent = try await new.outgoing(for: 1, after: head).deltas
    #expect(sent.map { $0.versions.mapValues(\.value) } == [["name": .text("new")]])
  }

  @Test func `a step sees the tables of the new model, and delete rules hold`() async throws {
    let world = try MigrationWorld()
    let old = try await open(world, 1, Self.twoTables, steps: [])
    try await old.write {
      try $0.insert("List", id: RecordID(text: "l"), values: [:])
      try $0.insert("Item", id: Self.id, values: ["list": .text("l")])
    }
    let step = DataMigration(version: 2) { transaction in
      try transaction.delete("List", RecordID(text: "l"))
      try transaction.insert("New", values: [:])
    }

    let new = try await open(world, 2, Self.twoTables + ", \"New\": {}", steps: [step])

    #expect(try await new.read { try $0.count(Query("Item")) } == 0)
    #expect(try await new.read { try $0.count(Query("New")) } == 1)
    #expect(try await new.checkup().filter { $0.level == .problem } == [])
  }

  private struct Refusal: Error {}

  @Test func `a step that throws leaves the store as it was, with its old model`() async throws {
    let world = try MigrationWorld()
    let old = try await open(world, 1, steps: [])
    try await old.write { try $0.insert("Item", id: Self.id, values: ["name": .text("a")]) }
    let before = try Fixture.dump(world.path)
    let throwing = DataMigration(version: 3) { _ in throw Refusal() }
    let wider = ModelText.item(ModelText.name, ModelText.count, ModelText.data)

    let error = await #expect(throws: StorageError.self) {
      _ = try await open(world, 3, wider, steps: [Self.naming(2, "b"), throwing])
    }

    #expect(error?.code == .dataMigrationFailed)
    #expect(
      error?.message.hasPrefix("Could not bring the records to version 3 of the model.") == true)
    #expect(error?.cause is Refusal)
    #expect(try Fixture.dump(world.path) == before)
    let again = try await open(world, 3, wider, steps: [Self.naming(2, "b")])
    #expect(try await again.read { try $0.record("Item", Self.id)?["name"] } == .text("b"))
  }

  @Test func `a reference to nothing that a step makes fails the whole`() async throws {
    let world = try MigrationWorld()
    _ = try await open(world, 1, Self.twoTables, steps: [])
    let before = try Fixture.dump(world.path)
    let step = DataMigration(version: 2) { transaction in
      try transaction.insert("Item", values: ["list": .text("nowhere")])
    }

    let error = await #expect(throws: StorageError.self) {
      _ = try await open(world, 2, Self.twoTables, steps: [step])
    }

    #expect(error?.code == .constraint)
    #expect(try Fixture.dump(world.path) == before)
  }

  @Test func `two devices that run the same step agree`() async throws {
    let (a, b) = (try MigrationWorld(), try MigrationWorld())
    let one = try await open(a, 1, steps: [])
    let two = try await open(b, 1, steps: [])
    try await one.write { try $0.insert("Item", id: Self.id, values: ["name": .text("a")]) }
    try await two.receive(try await one.outgoing(for: 1).deltas, from: 1)

    let first = try await open(a, 2, steps: [Self.naming(2, "new")])
    let second = try await open(b, 2, steps: [Self.naming(2, "new")])
    let (from, back) = (
      try await first.outgoing(for: 1).deltas, try await second.outgoing(for: 1).deltas
    )
    try await second.receive(from, from: 1)
    try await first.receive(back, from: 1)

    #expect(try await first.facts() == second.facts())
    #expect(try await second.read { try $0.record("Item", Self.id)?["name"] } == .text("new"))
  }
}
