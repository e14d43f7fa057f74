import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// One store file and all who write to it, over thousands of random steps.
///
/// Beside what `HistoryWorld` does there are a second opening of the store, `sqlite3` as a process
/// of its own, transactions that stay open, closing and opening, migrations in both directions,
/// and imports of what another store really sends.
final class StepWorld {
  /// A time that no real clock shows, so that the stamps of real processes can be foretold.
  private static let start: Int64 = 4_102_444_800_000
  private static let fullCheckInterval = 250
  private static let invariantInterval = 10

  /// The store, and the same store as another process has it open.
  private struct Opened {
    let world: HistoryWorld
    let second: Store

    init(_ location: StoreLocation, without missing: HistoryShape.Missing) async throws {
      world = try await HistoryWorld(location, without: missing)
      second = try await Store.open(
        location, schema: Schema(parsing: HistoryShape.modelFile(without: missing)),
        options: StoreOptions(clock: world.clock.wall, readerCount: 1))
    }
  }

  private let folder: TemporaryFolder
  private let location: StoreLocation
  /// Nil only between closing and opening.
  private var opened: Opened?
  private let peer: StepPeer
  var planner: HistoryPlanner
  private var expected = HistoryWorld.Expectation(head: 0)

  init(seed: UInt64) async throws {
    folder = try TemporaryFolder()
    location = .file(folder.path("store.sqlite"))
    opened = try await Opened(location, without: .init())
    peer = try await StepPeer()
    planner = HistoryPlanner(seed: seed, salt: HistoryWorld.salt)
    planner.milliseconds = Self.start
  }

  private func present() throws -> Opened {
    guard let opened else { throw HistoryWorld.Mismatch(description: "the store is closed") }
    return opened
  }

  /// Plays some steps; after each the store must hold what the model says.
  func play(steps: Int) async throws {
    for step in 1...steps {
      planner.moveClock()
      let kind = StepKind.random(using: &planner.random)
      do {
        try await run(kind)
        try await check(step, isLast: step == steps)
      } catch {
        throw HistoryWorld.Mismatch(description: "step \(step), \(kind): \(error)")
      }
    }
  }

  private func run(_ kind: StepKind) async throws {
    switch kind {
    case .own: try await present().world.own(&planner, &expected)
    case .otherProcess:
      try await present().world.own(&planner, &expected, by: present().second)
    case .openTransaction: try await openTransaction(present().world)
    case .foreign: try present().world.foreign(&planner, &expected)
    case .shell: try await shell(present().world.store.path)
    case .importing: try await present().world.importing(&planner, &expected)
    case .exchange:
      let deltas = try await peer.changes(&planner)
      try await present().world.importing(&planner, &expected, deltas)
    case .reopen: try await reopen(without: planner.model.missing)
    case .migrate:
      let model = HistoryShape.models.randomElement(using: &planner.random)
      try await reopen(without: model ?? planner.model.missing)
    }
  }

  // MARK: Opening

  /// Closes everything that has the store open, and opens it with a model.
  private func reopen(without missing: HistoryShape.Missing) async throws {
    // The last connection that closes takes the log into the file.
    opened = nil
    opened = try await Opened(location, without: missing)
    guard missing != planner.model.missing else { return }
    // A migration is a transaction like any other, so it seals what other clients wrote first.
    planner.model.lift()
    expected.seal(planner.model.log, origin: -1)
    planner.model.missing = missing
  }

  // MARK: A transaction that stays open

  private struct Stop: Error {}

  private func openTransaction(_ world: HistoryWorld) async throws {
    world.clock.milliseconds = planner.milliseconds
    let (before, sealedBefore) = (planner.model, expected)
    planner.model.lift()
    expected.seal(planner.model.log, origin: -1)
    let stamp = planner.model.foreignStamp(at: planner.milliseconds)
    try await world.store.begin()
    for _ in 0..<Int.random(in: 1...3, using: &planner.random) {
      let unchanged = planner.model
      let steps = planner.ownSteps(stamp: stamp)
      let isUndone = planner.chance(1, in: 3)
      do {
        try await world.store.step { write in
          for step in steps { try step.run(write) }
          if isUndone { throw Stop() }
        }
      } catch is Stop {
        planner.model = unchanged
      }
    }
    if planner.chance(1, in: 4) {
      try await world.store.rollback()
      (planner.model, expected) = (before, sealedBefore)
    } else {
      try await world.store.commit()
      expected.seal(planner.model.log, origin: 0)
      try world.follow(&planner.model)
    }
  }

  // MARK: Another program

  /// Runs statements in the `sqlite3` shell, whose clock is behind everything here.
  private func shell(_ path: String) async throws {
    guard planner.model.seen >= Stamp(milliseconds: Self.start / 2) else { return }
    let time = planner.milliseconds
    planner.milliseconds = 0
    defer { planner.milliseconds = time }
    let foreignKeys = planner.chance(1, in: 2)
    let recursiveTriggers = planner.chance(1, in: 2)
    let steps = planner.foreignSteps(
      foreignKeys: foreignKeys, recursiveTriggers: recursiveTriggers)
    // By standard input, the shell goes on behind a statement that is refused.
    let script =
      ".timeout 10000\nPRAGMA foreign_keys = \(foreignKeys);\n"
      + "PRAGMA recursive_triggers = \(recursiveTriggers);\n"
      + steps.map { $0.script + ";\n" }.joined()
    let outcome = try await ChildProcess(
      folder: folder, executable: "/usr/bin/sqlite3", arguments: ["-batch", path]
    ).run(input: script)
    let isRefused = steps.contains(where: \.isRefused)
    guard outcome.error.isEmpty != isRefused else {
      throw HistoryWorld.Mismatch(description: "sqlite3 said '\(outcome.error)' of \(steps)")
    }
  }

  // MARK: Checks

  private func check(_ step: Int, isLast: Bool) async throws {
    let opened = try present()
    try opened.world.check(planner.model, expected)
    let isFull = isLast || step.isMultiple(of: Self.fullCheckInterval)
    if isFull || step.isMultiple(of: Self.invariantInterval) {
      let after = isFull ? 0 : max(0, expected.head - 100)
      let broken = try await opened.second.read { try $0.brokenInvariants(afterLog: after) }
      guard broken.isEmpty else {
        throw HistoryWorld.Mismatch(description: broken.map(\.description).joined(separator: "\n"))
      }
    }
    try forget(opened.world.inspector)
  }

  /// What was checked need not be compared again; rows that are not sealed yet are still counted.
  private func forget(_ inspector: ForeignClient) throws {
    let heads = try inspector.run(
      """
      SELECT coalesce((SELECT max(sequence) FROM strandline_log), 0),
        coalesce((SELECT max(last) FROM strandline_transaction), 0)
      """)[0]
    expected.checkedSequence = heads[0].integer ?? 0
    expected.head = heads[1].integer ?? 0
    expected.sealed = []
    planner.model.log.removeFirst(expected.sealedRows)
    expected.sealedRows = 0
    expected.checkedRows = planner.model.log.count
  }
}

/// What may happen in one step.
enum StepKind: CaseIterable {
  case own
  case otherProcess
  case openTransaction
  case foreign
  case shell
  case importing
  case exchange
  case reopen
  case migrate

  /// How often it happens, in a thousand.
  private var weight: Int {
    switch self {
    case .own: 300
    case .otherProcess: 120
    case .openTransaction: 50
    case .foreign: 312
    case .shell: 8
    case .importing: 130
    case .exchange: 60
    case .reopen: 8
    case .migrate: 12
    }
  }

  static func random(using random: inout SeededGenerator) -> StepKind {
    var place = Int.random(in: 0..<allCases.reduce(0) { $0 + $1.weight }, using: &random)
    for kind in allCases {
      if place < kind.weight { return kind }
      place -= kind.weight
    }
    return .own
  }
}
