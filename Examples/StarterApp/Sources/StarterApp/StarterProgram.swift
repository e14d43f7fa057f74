import Foundation
import Strandline

/// The commands of the app.
@MainActor enum StarterProgram {
  private static let usage = """
    Usage: StarterApp [--home DIR] [--device NAME] [--transport SPEC] COMMAND
      add TITLE   save a to-do
      done N      flip whether the to-do of that number is done
      list        show all
      sync        send and fetch once
      watch       keep syncing, and show the list whenever it changes
    """

  /// Runs what the arguments ask for.
  ///
  /// - Returns: The exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    var words = arguments
    let home = option("--home", &words) ?? NSHomeDirectory() + "/.local/share/starter-app"
    let device = option("--device", &words) ?? ProcessInfo.processInfo.hostName
    let transport = option("--transport", &words)
    guard let command = words.first else { return fail(usage, code: 2) }
    do {
      let app = try await TodoApp(
        home: home, device: device, transport: transport,
        token: ProcessInfo.processInfo.environment["STARTER_TOKEN"])
      return try await run(command, words.dropFirst().joined(separator: " "), app)
    } catch {
      return fail("\(error)", code: 1)
    }
  }

  private static func run(_ command: String, _ rest: String, _ app: TodoApp) async throws -> Int32 {
    switch command {
    case "add" where !rest.isEmpty:
      try await app.add(rest)
      print("Saved.")
    case "done":
      guard let number = Int(rest), app.todos.content.indices.contains(number - 1) else {
        return fail("Could not find the to-do '\(rest)'. Type its number in the list.", code: 1)
      }
      try await app.toggle(app.todos.content[number - 1])
      print("Saved.")
    case "list": show(app.todos.content)
    case "sync": return try await sync(app)
    case "watch":
      app.todos.hooks.afterReload = { show($0) }
      show(app.todos.content)
      await app.run()
    default: return fail(usage, code: 2)
    }
    return 0
  }

  private static func sync(_ app: TodoApp) async throws -> Int32 {
    let report = try await app.synced.syncNow()
    print("Imported \(report.imported), exported \(report.exported).")
    if let error = report.error { return fail("\(error)", code: 1) }
    return 0
  }

  private static func show(_ todos: [Todo]) {
    if todos.isEmpty { print("Nothing to do.") }
    for (index, todo) in todos.enumerated() {
      print("\(index + 1) [\(todo.isDone ? "x" : " ")] \(todo.title)")
    }
    // A list that is watched through a pipe shows at once, too.
    fflush(nil)
  }

  private static func option(_ name: String, _ words: inout [String]) -> String? {
    guard let index = words.firstIndex(of: name), index + 1 < words.count else { return nil }
    defer { words.removeSubrange(index...(index + 1)) }
    return words[index + 1]
  }

  private static func fail(_ text: String, code: Int32) -> Int32 {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    return code
  }
}
