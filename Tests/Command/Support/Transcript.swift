import Foundation
import StrandlineTestSupport
import Testing

/// A file that shows what a person types, and exactly what the program answers.
///
/// Lines at the top that begin with `--` say how the program is started: `-- options: --json`,
/// `-- environment: NAME=VALUE`, `-- file NAME: CONTENTS` with `\n` for newlines; any other one is a
/// remark. A line with a prompt is a command, and what follows it is the answer.
struct Transcript: Sendable, CustomTestStringConvertible {
  let name: String
  let text: String

  var testDescription: String { name }

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Transcripts")

  /// All transcripts, by name.
  static func all() throws -> [Transcript] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".txt") }.sorted().map { file in
        Transcript(
          name: String(file.dropLast(4)),
          text: try String(contentsOf: folder.appending(path: file), encoding: .utf8))
      }
  }

  /// Writes what was played in the place of the file.
  func write(_ text: String) throws {
    try text.write(
      to: Self.folder.appending(path: name + ".txt"), atomically: true, encoding: .utf8)
  }

  private var lines: [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  private var header: [String] { Array(lines.prefix { $0.hasPrefix("--") }) }

  /// The commands in their order.
  var commands: [String] {
    lines.dropFirst(header.count).compactMap { line in
      line.wholeMatch(of: /(?:(?:phone|laptop)[^>]*)?> (.*)/).map { String($0.output.1) }
    }
  }

  private func values(_ name: String) -> [String] {
    header.filter { $0.hasPrefix("-- \(name): ") }.map { String($0.dropFirst(name.count + 5)) }
  }

  // MARK: - Playing

  /// What the program shows for the commands, as it stands in the file.
  func play() async throws -> String {
    let folder = try TemporaryFolder()
    for line in header {
      guard let file = line.wholeMatch(of: /-- file ([^:]+): (.*)/) else { continue }
      try folder.write(
        String(file.output.2).replacing("\\n", with: "\n").replacing("\\r", with: "\r"),
        to: String(file.output.1))
    }
    try folder.write(commands.joined(separator: "\n") + "\n", to: "script")
    let options = values("options").flatMap { $0.split(separator: " ").map(String.init) }
    // One stream, so that errors stand where they happen.
    let words =
      ["-c", "exec env \"$@\" 2>&1", "sh"] + values("environment")
      + [
        try BuiltProgram.path(), "--home", "home", "--device", "phone", "--echo", "--keep-going",
      ] + options + ["-f", "script"]
    let outcome = try await ChildProcess(folder: folder, executable: "/bin/sh", arguments: words)
      .run()
    guard !outcome.wasKilled, outcome.error.isEmpty else {
      throw SetupError(description: "\(name) ended with \(outcome.code): \(outcome.error)")
    }
    let shown = Placeholders(folder: folder.url.path).replaced(in: outcome.output)
    return (header + [shown]).joined(separator: "\n")
  }
}

/// Puts words that are the same in every run in the place of those that are not.
struct Placeholders {
  let folder: String

  func replaced(in text: String) -> String {
    // The line ends of CSV are for tests of bytes, not for a text that people read.
    var text = text.replacing("\r\n", with: "\n").replacing(folder, with: "<folder>")
    var ids: [String: String] = [:]
    text = text.replacing(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/) { match -> String in
      let id = String(match.output)
      let number = ids[id] ?? "<id \(ids.count + 1)>"
      ids[id] = number
      return number
    }
    text = text.replacing(/(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d\.\d{3}Z/) { match -> String in
      isRecent(match.output.1) ? "<time>" : String(match.output.0)
    }
    return text.replacing(/\b\d\d:\d\d:\d\d\b/, with: "hh:mm:ss")
      .replacing(/\d+ (?:seconds|minutes?) ago/, with: "just now")
      .replacing(/Took \d+ ms/, with: "Took <n> ms")
      .replacing(/"milliseconds":\d+/, with: "\"milliseconds\":<n>")
      .replacing(/\d+ (KiB|MiB)/) { "<n> \($0.output.1)" }
      .replacing(/strandline-<id \d+>\.json/, with: "<edited>.json")
  }

  /// Whether a day is that of the run; other dates stand in the data.
  private func isRecent(_ day: Substring) -> Bool {
    let moments = [Date(), Date(timeIntervalSinceNow: -3600)]
    return moments.contains { $0.ISO8601Format().hasPrefix(day) }
  }
}
