import StrandlineModels
import StrandlineStorage

/// One store in which many random histories take place, each from an empty beginning.
final class HistoryWorld {
  typealias Key = HistoryModel.Key

  /// What went wrong in a history, in words.
  struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  let clock = ManualClock()
  private(set) var store: Store
  static let salt: UInt16 = 4_711
  /// A connection for each setting, so that the cost of opening is not paid each time.
  private(set) var clients: [Client]
  private(set) var inspector: ForeignClient
  private(set) var numbers: [Int64: EntityLayout]

  struct Client {
    let client: ForeignClient
    let foreignKeys: Bool
    let recursiveTriggers: Bool
  }

  init(
    _ location: StoreLocation = .memory, without missing: HistoryShape.Missing = .init()
  ) async throws {
    let schema = try Schema(parsing: HistoryShape.modelFile(without: missing))
    store = try await Store.open(
      location, schema: schema, options: StoreOptions(clock: clock.wall, readerCount: 1))
    let (path, clock) = (store.path, clock)
    inspector = try ForeignClient(path)
    clients = try [(false, false), (false, true), (true, false), (true, true)].map {
      let client = try ForeignClient(
        path, recursiveTriggers: $0.1, foreignKeys: $0.0, clock: clock)
      return Client(client: client, foreignKeys: $0.0, recursiveTriggers: $0.1)
    }
    let catalog = store.catalog
    let layouts = try schema.entities.filter { !$0.isLink }
      .map { try catalog.layout(named: $0.name) }
    numbers = Dictionary(uniqueKeysWithValues: layouts.map { ($0.number, $0) })
    // Each store has a salt of its own, and a seed must give the same history again.
    try inspector.run("UPDATE strandline_clock SET salt = ?", [.integer(Int64(Self.salt))])
  }

  /// Plays the history of a seed to its end.
  func play(seed: UInt64) async throws {
    let head = try reset()
    var planner = HistoryPlanner(seed: seed, salt: Self.salt)
    var expected = Expectation(head: head)
    for _ in 0..<Int.random(in: 4...8, using: &planner.random) {
      planner.moveClock()
      switch Int.random(in: 0..<10, using: &planner.random) {
      case 0..<6: try foreign(&planner, &expected)
      case 6..<8: try await own(&planner, &expected)
      default: try await importing(&planner, &expected)
      }
    }
    try await own(&planner, &expected, isEmpty: true)
    try check(planner.model, expected)
  }

  /// Empties the store without a trace, but for the sequence, which goes on as after pruning.
  private func reset() throws -> Int64 {
    inspector.setTriggers(false)
    try inspector.script("BEGIN")
    for layout in numbers.values {
      try inspector.run("DELETE FROM \(layout.table)")
      try inspector.run("DELETE FROM \(layout.shadow)")
    }
    try inspector.run("DELETE FROM strandline_log")
    try inspector.run("DELETE FROM strandline_parked")
    try inspector.run("UPDATE strandline_clock SET seen = 0")
    try inspector.script("COMMIT")
    return try inspector.run("SELECT coalesce(max(last), 0) FROM strandline_transaction")[0][0]
      .integer ?? 0
  }
}

extension HistoryWorld {
  /// The transactions that must be in history, each by its origin and number of log rows.
  struct Expectation {
    /// The last sequence of the transactions that were checked.
    var head: Int64
    var sealed: [(origin: Int64, count: Int)] = []
    var sealedRows = 0
    /// How many rows of the model's log were checked.
    var checkedRows = 0
    /// The last sequence of the log rows that were checked.
    var checkedSequence: Int64 = 0

    mutating func seal(_ log: [HistoryModel.Logged], origin: Int64) {
      guard log.count > sealedRows else { return }
      sealed.append((origin, log.count - sealedRows))
      sealedRows = log.count
    }
  }

  func foreign(_ planner: inout HistoryPlanner, _ expected: inout Expectation) throws {
    let index = Int.random(in: 0..<clients.count, using: &planner.random)
    let client = clients[index].client
    let steps = planner.foreignSteps(
      foreignKeys: clients[index].foreignKeys,
      recursiveTriggers: clients[index].recursiveTriggers)
    for step in steps {
      clock.milliseconds = step.milliseconds
      do {
        try client.run(step.sql, step.arguments)
        if step.isRefused { throw Mismatch(description: "\(step.sql) was not refused") }
      } catch let failure as ForeignClient.Failure {
        guard step.isRefused else { throw Mismatch(description: "\(step.sql): \(failure)") }
      }
    }
  }

  private struct Stop: Error {}

  func own(
    _ planner: inout HistoryPlanner, _ expected: inout Expectation, isEmpty: Bool = false,
    by other: Store? = nil
  ) async throws {
    let store = other ?? store
    clock.milliseconds = planner.milliseconds
    let before = planner.model
    let isThrown = !isEmpty && planner.chance(1, in: 6)
    planner.model.lift()
    let sealedExpectation = expected
    expected.seal(planner.model.log, origin: -1)
    let stamp = planner.model.foreignStamp(at: planner.milliseconds)
    let steps = isEmpty ? [] : planner.ownSteps(stamp: stamp)
    do {
      try await store.write { write in
        for step in steps { try step.run(write) }
        if isThrown { throw Stop() }
      }
      expected.seal(planner.model.log, origin: 0)
    } catch is Stop {
      planner.model = before
      expected = sealedExpectation
      return
    }
    try follow(&planner.model)
  }

  /// Imports what a peer sent, or what the planner makes up.
  func importing(
    _ planner: inout HistoryPlanner, _ expected: inout Expectation, _ sent: [RecordDelta]? = nil
  ) async throws {
    clock.milliseconds = planner.milliseconds
    let peer = Int64.random(in: 1...2, using: &planner.random)
    planner.model.lift()
    expected.seal(planner.model.log, origin: -1)
    planner.model.settleParked()
    for delta in sent ?? [] { planner.model.merge(delta) }
    let deltas = sent ?? planner.deltas()
    expected.seal(planner.model.log, origin: peer)
    try await store.importChanges(from: peer) { transaction in
      for delta in deltas { try transaction.apply(delta) }
    }
    try follow(&planner.model)
    let greatest = deltas.map(\.greatestStamp).max() ?? .unset
    if planner.model.seen < greatest {
      throw Mismatch(description: "seen \(planner.model.seen) is before imported \(greatest)")
    }
  }

  /// The clock must be over every stamp; by how much is the store's own affair.
  func follow(_ model: inout HistoryModel) throws {
    let seen = Stamp(
      rawValue: try inspector.run("SELECT seen FROM strandline_clock")[0][0].integer ?? 0)
    let own = try inspector.run("SELECT own + seeding FROM strandline_clock")[0][0]
    let logged = model.log.map(\.change.stamp).max() ?? .unset
    let least = max(model.greatest, logged, model.seen)
    guard seen >= least, own == .integer(0) else {
      throw Mismatch(description: "seen \(seen) is before \(least), or own \(own) is left")
    }
    model.seen = seen
  }
}

extension HistoryModel {
  /// What every transaction of Strandline does first: the clock goes over what others wrote.
  mutating func lift() {
    seen = max(seen, log.map(\.change.stamp).max() ?? .unset)
  }
}
