import Foundation
import StrandlineTestSupport
import Testing

/// The completions, driven in the shells that they are for.
struct CompletionTests {
  private let folder: TemporaryFolder
  private let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  /// Writes the completions and runs a program of the shell that has them.
  private func run(_ shell: String, _ program: String) async throws -> [String] {
    let script = try await device.succeed("--completions", shell)
    try folder.write(script + "\n", to: "completions.\(shell)")
    let path = URL(fileURLWithPath: try BuiltProgram.path()).deletingLastPathComponent().path
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("env", package: "coreutils"),
      arguments: [
        "PATH=\(path):/usr/bin:/bin", try BuiltProgram.tool(shell, package: shell), "-c",
        program.replacing("SCRIPT", with: folder.path("completions.\(shell)")),
      ]
    ).run()
    #expect(outcome.error.isEmpty, "\(outcome.error)")
    return outcome.lines.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// What bash offers for a line whose words are separated by spaces.
  private func bash(_ line: String) async throws -> [String] {
    try await run(
      "bash",
      """
      source SCRIPT
      read -r -a COMP_WORDS <<< '\(line)'
      case '\(line)' in *' ') COMP_WORDS+=('');; esac
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _strandline
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  @Test(arguments: [
    ("strandline tog", ["toggle"]), ("strandline --dev", ["--device"]),
    ("strandline --environment p", ["production"]), ("strandline sync o", ["on", "off"]),
    ("strandline --json help wat", ["watch"]), ("strandline sync --p", ["--purge"]),
    ("strandline --completions f", ["fish"]), ("strandline peer add dir", []),
  ])
  func `bash completes commands, options and their words`(
    line: String, expected: [String]
  ) async throws {
    let found = try await bash(line)
    if !expected.isEmpty { #expect(found == expected) }
  }

  @Test func `bash completes entities and devices from local data`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    let home = "--home \(folder.path("phone"))"

    #expect(try await bash("strandline \(home) list Todo") == ["TodoList", "TodoItem"])
    #expect(try await bash("strandline \(home) device ") == ["phone"])
    #expect(try await bash("strandline \(home) --device ph") == ["phone"])
    // A home that is not there has the sample's entities, and is not made by that.
    #expect(try await bash("strandline --home \(folder.path("none")) list Ha") == ["Habit"])
    #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
  }

  @Test func `fish completes commands, options, words and entities`() async throws {
    func fish(_ line: String) async throws -> [String] {
      try await run("fish", "source SCRIPT; complete -C '\(line)'")
        .map { String($0.prefix { $0 != "\t" }) }
    }
    #expect(try await fish("strandline tog") == ["toggle"])
    #expect(try await fish("strandline --dev").contains("--device"))
    #expect(try await fish("strandline --environment prod") == ["production"])
    #expect(try await fish("strandline list Hab") == ["Habit"])
    #expect(Set(try await fish("strandline sync o")).isSuperset(of: ["on", "off"]))
  }

  @Test func `zsh completes commands, words and entities`() async throws {
    func zsh(_ line: String) async throws -> [String] {
      try await run(
        "zsh",
        """
        compdef() { :; }
        compadd() { shift; print -l -- "$@"; }
        _describe() { local list="${@[-1]}"; print -l -- "${(@P)list%%:*}"; }
        source SCRIPT
        words=(\(line)); CURRENT=${#words}
        _strandline
        """)
    }
    #expect(try await zsh("strandline ''").contains("toggle"))
    #expect(try await zsh("strandline --environment ''") == ["development", "production"])
    #expect(try await zsh("strandline -").contains("--device"))
    #expect(try await zsh("strandline list ''").contains("Habit"))
    #expect(try await zsh("strandline sync ''") == ["on", "off", "auto"])
  }
}
