import Foundation
import StrandlineTestSupport
import Testing

/// The guide for curl shows commands that run as they stand, and what they answer.
@Suite(.timeLimit(.minutes(30))) struct CurlGuideTests {
  /// Commands, and the answer that the guide shows for them, if it shows one.
  private struct Step {
    var commands: String
    var answer: String?
  }

  private static let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Modules/Strandline/Strandline.docc/CurlExamples.md")

  private static func steps() throws -> [Step] {
    var steps: [Step] = []
    var block: (kind: String, lines: [String])?
    for line in try String(contentsOf: guide, encoding: .utf8).components(separatedBy: "\n") {
      if line == "```", let (kind, lines) = block {
        let text = lines.joined(separator: "\n")
        if kind == "sh" { steps.append(Step(commands: text)) }
        if kind == "text", !steps.isEmpty { steps[steps.count - 1].answer = text }
        block = nil
      } else if line.hasPrefix("```") {
        block = (String(line.dropFirst(3)), [])
      } else {
        block?.lines.append(line)
      }
    }
    return steps
  }

  /// Whether a text is what the guide shows, where a … stands for anything.
  private static func matches(_ text: String, _ shown: String) -> Bool {
    var rest = Substring(text)
    let parts = shown.components(separatedBy: "…")
    for (index, part) in parts.enumerated() {
      if index == 0 {
        guard rest.hasPrefix(part) else { return false }
        rest = rest.dropFirst(part.count)
      } else if index == parts.count - 1 {
        return rest.hasSuffix(part)
      } else {
        guard let found = rest.range(of: part) else { return false }
        rest = rest[found.upperBound...]
      }
    }
    return parts.count > 1 || rest.isEmpty
  }

  @Test func `each command of the guide for curl answers what the guide shows`() async throws {
    let folder = try TemporaryFolder()
    let server = ServerProcess(in: folder)
    try await server.start()
    let token = try await server.signUp("ann")
    let phone = CommandDevice(
      "phone", in: folder, transport: server.address, options: ["--token-file", token])
    for name in ["milk", "bread", "tea"] {
      try await phone.succeed("save", "TodoItem", "name=\(name)")
    }
    try await phone.succeed("sync")

    let steps = try Self.steps()
    #expect(steps.count > 5)
    let mark = "--- the next one ---"
    let script = steps.map(\.commands).joined(separator: "\necho '\(mark)'\n")
    let outcome = try await ChildProcess(
      folder: folder, executable: "/bin/bash",
      arguments: ["-c", "set -eu; SERVER=\(server.address)\n" + script]
    ).run()

    #expect(outcome.code == 0, "\(outcome.error)")
    let answers = outcome.output.components(separatedBy: mark + "\n")
    #expect(answers.count == steps.count)
    for (step, answer) in zip(steps, answers) {
      guard let shown = step.answer else { continue }
      let text = answer.trimmingCharacters(in: .newlines)
      #expect(Self.matches(text, shown), "\(step.commands)\n\(text)\nis not\n\(shown)")
    }
  }
}
