import Foundation
import StrandlineTestSupport
import Synchronization
import Testing

/// The guide `ThePrompt.md`: its screens are what the program draws, and its table names tests.
///
/// `STRANDLINE_WRITE_SCREENS=1` writes the screens anew.
struct GuideScreenTests {
  private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let guide = root.appendingPathComponent(
    "Modules/Strandline/Strandline.docc/ThePrompt.md")

  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `the screens of the guide are what the prompt shows`() async throws {
    let screens = try await [arriving()] + session()
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    var parts = text.components(separatedBy: "```text\n")
    try #require(parts.count == screens.count + 1)
    for (index, screen) in screens.enumerated() {
      let end = try #require(parts[index + 1].range(of: "```"))
      parts[index + 1].replaceSubrange(..<end.lowerBound, with: screen + "\n")
    }
    let written = parts.joined(separator: "```text\n")
    if ProcessInfo.processInfo.environment["STRANDLINE_WRITE_SCREENS"] == "1" {
      try written.write(to: Self.guide, atomically: true, encoding: .utf8)
    }
    #expect(written == text, "STRANDLINE_WRITE_SCREENS=1 writes the screens anew.")
  }

  @Test func `every behaviour of the guide's list has tests that are there, or a reason`() throws {
    let rows = try TestTable(Self.guide).rows.filter { $0.contains(/^\| R[0-9]+ \|/) }
    #expect(rows.map { String($0.split(separator: " ")[1]) } == (1...32).map { "R\($0)" })
    let tests = try TestTable.tests(below: Self.root.appendingPathComponent("Tests"))
    for row in rows {
      var file = ""
      let names = TestTable.names(in: row).filter { tests[$0] != nil || $0.contains(" ") }
      #expect(names.count > 1 || row.contains("no test"), "\(row)")
      for name in names {
        if tests[name] != nil {
          file = name
        } else {
          #expect(tests[file]?.contains(name) == true, "\(file): \(name)")
        }
      }
    }
  }

  // MARK: The screens

  /// An import that arrives while a line is being typed.
  private func arriving() async throws -> String {
    let folder = folder
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    let screen = Mutex("")
    try await run("arriving", ["--transport", transport]) { session in
      try session.wait("nothing to wait for") { $0.lines.last == "phone>" }
      session.type("save TodoItem name=\"Call Ann")
      let laptop = ChildProcess(
        folder: folder, executable: try BuiltProgram.path(),
        arguments: [
          "--home", folder.path("laptop"), "--device", "laptop", "--transport", transport, "-c",
          "save TodoItem name=\"Buy milk\"", "-c", "sync",
        ])
      _ = try laptop.start()
      try session.wait("the import above the line") {
        $0.text.contains("imported 1 change")
          && $0.lines.last == "phone> save TodoItem name=\"Call Ann"
      }
      screen.withLock { $0 = session.screen.text }
    }
    return screen.withLock { Self.placed($0) }
  }

  /// What is typed for the screens: the commands before each of them, and those that it shows.
  private static let scenes: [(before: [String], shown: [String])] = [
    (
      [],
      [
        "save TodoItem name=\"Buy milk\"", "save TodoItem name=\"Water the plants\"",
        "list TodoItem order by name", "toggle #1", "sync",
      ]
    ),
    (["save Tag name=urgent"], ["status"]),
    (
      ["sync", "device laptop", "sync", "device phone", "sync", "list TodoItem order by name"],
      ["trace #1"]
    ),
    (
      [
        "link down", "set #1 name=\"Buy oat milk\"", "device laptop",
        "list TodoItem order by name", "set #1 name=\"Buy milk and bread\"", "sync",
        "device phone", "link up",
      ], ["sync", "conflicts"]
    ),
  ]

  /// The other screens, of one session that syncs when it is told to.
  private func session() async throws -> [String] {
    let folder = folder
    try folder.write("{\"schedule\":{\"automatic\":false}}", to: "home/strandline.json")
    let screens = Mutex<[String]>([])
    try await run("home", ["--transport", "memory"]) { session in
      for scene in Self.scenes {
        for command in scene.before { try Self.enter(command, session) }
        session.type("\u{C}")
        try session.wait("an empty screen") { $0.lines.count == 1 && $0.endsWithPrompt }
        for command in scene.shown { try Self.enter(command, session) }
        if scene.shown.contains("sync") { try session.waitForText("\n· ") }
        screens.withLock { $0.append(session.screen.text) }
      }
      try Self.watch(session, folder)
      screens.withLock { $0.append(session.screen.text) }
    }
    return screens.withLock { $0.map(Self.placed) }
  }

  /// A listing that another process changes.
  private static func watch(_ session: EditorSession, _ folder: TemporaryFolder) throws {
    session.type("\u{C}")
    try session.wait("an empty screen") { $0.lines.count == 1 && $0.endsWithPrompt }
    session.type("watch Tag order by name\r")
    try session.waitForText("urgent")
    let other = ChildProcess(
      folder: folder, executable: try BuiltProgram.path(),
      arguments: [
        "--home", folder.path("home"), "--device", "phone", "--local", "save", "Tag",
        "name=errand",
      ])
    _ = try other.start()
    try session.waitForText("errand")
    session.type("\u{3}")
    try session.wait("a prompt") { $0.endsWithPrompt }
  }

  private func run(
    _ home: String, _ options: [String], _ body: @escaping @Sendable (EditorSession) throws -> Void
  ) async throws {
    try await EditorSession.run(
      columns: 124, rows: 40, folder: folder,
      environment: ["NO_COLOR": "1", "TZ": "UTC", "LANG": "C.UTF-8"],
      program: [
        try BuiltProgram.path(), "--home", folder.path(home), "--device", "phone", "-q", "--yes",
      ] + options, body)
  }

  /// Types a command and waits for the prompt after it.
  private static func enter(_ command: String, _ session: EditorSession) throws {
    session.type(command + "\r")
    try session.wait("the answer to \(command)") { screen in
      screen.endsWithPrompt && screen.lines.contains { $0.hasSuffix("> " + command) }
    }
  }

  /// The text with one moment for all, and with ids that are numbered as they come.
  private static func placed(_ text: String) -> String {
    var ids: [Substring] = []
    for match in text.matches(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/)
    where !ids.contains(match.output.0) {
      ids.append(match.output.0)
    }
    var out = text.replacing(/\d\d:\d\d:\d\d/, with: "14:03:22")
      .replacing(/\b\d+ seconds? ago/, with: "just now")
    // What is told of a cycle and what it answers come from two tasks.
    out = out.replacing(/(\nImported [^\n]*)(\n· [^\n]*)/) { $0.output.2 + $0.output.1 }
    for (index, id) in ids.enumerated() {
      out = out.replacing(id, with: "0193f2a1-7c00-7d3a-9b4e-00000000000\(index + 1)")
    }
    return out
  }
}
