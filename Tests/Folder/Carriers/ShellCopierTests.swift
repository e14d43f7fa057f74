import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Two processes of the program, whose folders a shell keeps equal, badly.
@Suite(.timeLimit(.minutes(30))) struct ShellCopierTests {
  private static let rounds = 10

  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["phone", "laptop"] { try folder.makeFolder("\(name)-folder") }
  }

  /// Runs the program on one device, which must succeed.
  @discardableResult
  private func run(_ device: String, _ arguments: [String]) async throws -> String {
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltTool.path("strandline"),
      arguments: [
        "--home", folder.path(device), "--device", device, "--transport",
        "directory:" + folder.path("\(device)-folder"),
      ] + arguments
    ).run()
    guard outcome.code == 0, !outcome.wasKilled else {
      throw CarrierError(description: "\(device) \(arguments): \(outcome.error)")
    }
    return outcome.output
  }

  /// What the sqlite3 shell answers, whose quoting tells every byte apart.
  @discardableResult
  private func shell(_ device: String, _ sql: String) async throws -> String {
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltTool.system("sqlite3", package: "sqlite3"),
      arguments: [
        "-cmd", ".timeout 20000", "-cmd", ".mode quote",
        folder.path("\(device)/\(device)/store.sqlite"), sql,
      ]
    ).run()
    guard outcome.code == 0 else { throw CarrierError(description: outcome.error) }
    return outcome.output
  }

  private func rows(_ device: String) async throws -> String {
    let tables = ["TodoList", "TodoItem", "Tag", "Tag_items", "Habit"]
    return try await shell(
      device, tables.map { "SELECT '\($0)', * FROM \"\($0)\" ORDER BY id;" }.joined())
  }

  @Test func `two processes whose folders a shell carries badly end equal`() async throws {
    let variables = ProcessInfo.processInfo.environment
    let seed =
      variables["STRANDLINE_SEED"].flatMap(UInt64.init) ?? .random(in: 0...UInt64(UInt32.max))
    do {
      try await carryAndCompare(seed: seed)
    } catch {
      Issue.record("replay with STRANDLINE_SEED=\(seed): \(error)")
    }
  }

  private func carryAndCompare(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var copier = ShellCopier(
      folder: folder, sides: ["phone-folder", "laptop-folder"], seed: random.next())
    try await run("phone", ["save", "TodoList", "title=Shopping"])
    try await run("phone", ["sync"])
    _ = try await copier.carryAll()
    for round in 1...Self.rounds {
      for device in ["phone", "laptop"].shuffled(using: &random) {
        try await work(round, device, &random)
      }
      try await copier.carryBadly()
    }
    for _ in 1...6 {
      let isCarried = try await copier.carryAll()
      for device in ["phone", "laptop"] { try await run(device, ["sync"]) }
      if !isCarried { break }
    }

    let rows = try await rows("phone")
    #expect(rows.contains("phone \(Self.rounds)") && rows.contains("laptop \(Self.rounds)"))
    #expect(try await self.rows("laptop") == rows, "seed \(seed)")
    for device in ["phone", "laptop"] {
      let status = try JSONValue(parsing: try await run(device, ["--json", "status"]))
      #expect(
        status["status"]?["standing"]?.string == "caughtUp", "seed \(seed): \(status.text)")
    }
    for way in ShellCopier.Way.allCases {
      #expect(copier.ways[way, default: 0] > 0, "seed \(seed): \(way)")
    }
  }

  /// New records, edits by plain SQL of what both devices edit, and a sync.
  private func work(
    _ round: Int, _ device: String, _ random: inout SeededGenerator
  ) async throws {
    try await run(
      device,
      [
        "-c", "save TodoItem name='\(device) \(round)' priority=\(random.next() % 9)",
        "-c", "save Tag name='\(device) tag \(round)'",
      ])
    try await shell(
      device,
      """
      UPDATE TodoList SET title = '\(device) \(round)';
      UPDATE TodoItem SET done = \(random.next() % 2) WHERE priority > 4;
      DELETE FROM Tag WHERE name = '\(device) tag \(round - 1)';
      """)
    try await run(device, ["sync"])
  }
}
