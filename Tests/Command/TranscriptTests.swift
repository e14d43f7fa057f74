import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// What the program shows, word for word.
///
/// `STRANDLINE_WRITE_TRANSCRIPTS=1 swift test --filter TranscriptTests` writes the answers anew.
struct TranscriptTests {
  @Test(arguments: try Transcript.all())
  func `a transcript shows what the program answers`(transcript: Transcript) async throws {
    let played = try await transcript.play()
    if ProcessInfo.processInfo.environment["STRANDLINE_WRITE_TRANSCRIPTS"] != nil {
      return try transcript.write(played)
    }
    let (wanted, found) = (lines(transcript.text), lines(played))
    let first = zip(wanted, found).first { $0 != $1 }
    let isSame = wanted == found
    #expect(
      isSame,
      """
      '\(first?.1 ?? "\(found.count) lines")' was shown, \
      and '\(first?.0 ?? "\(wanted.count) lines")' was to be
      """)
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// What help says of all commands.
  private func commands() async throws -> [JSONValue] {
    let device = CommandDevice("phone", in: try TemporaryFolder(), options: ["--in-memory"])
    return try await device.run(["--json", "help"]).objects().compactMap { $0["command"] }
  }

  @Test func `every command stands in a transcript and has its help`() async throws {
    let shown = Set(
      try Transcript.all().flatMap(\.commands).compactMap { $0.split(separator: " ").first })
    let commands = try await commands()

    #expect(commands.count > 50)
    for command in commands {
      let name = try #require(command["name"]?.string)
      // What has no end, takes as long as a release, or is for a terminal has tests of its own.
      if !["watch", "verify", "tour", "shell"].contains(name) {
        #expect(shown.contains(Substring(name)), "no transcript has \(name)")
      }
      #expect(command["usage"]?.string?.hasPrefix(name) == true, "\(name)")
      #expect(command["summary"]?.string?.hasSuffix(".") == true, "\(name)")
      #expect(command["example"]?.string?.hasPrefix(name) == true, "\(name)")
    }
  }

  @Test func `every example of the help is a command that can be run`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("title\nBread\n", to: "todo.csv")
    let examples = try await commands().compactMap { $0["example"]?.string }
    let script =
      ["save TodoItem name=a", "save Tag name=b", "list TodoItem"]
      + examples.filter { example in
        !["watch ", "verify", "quit", "status --follow", "tour", "shell"].contains {
          example.hasPrefix($0)
        }
      }
    try folder.write(script.joined(separator: "\n"), to: "script")
    let device = CommandDevice(
      "phone", in: folder, transport: "memory", options: ["--yes", "--json", "--keep-going"])
    let outcome = try await device.run(["-f", "script"])

    let wrong = [
      "unknownCommand", "strayWord", "missingWord", "unknownOption", "unknownEntity",
      "unknownField", "notAnAssignment", "wrongType", "usage", "unexpected",
    ]
    for error in try outcome.errorObjects() where error["error"] != nil {
      let code = error["error"]?["code"]?.string ?? ""
      #expect(!wrong.contains(code), "\(error.text)")
    }
  }
}
