import Foundation
import StrandlineTestSupport
import Testing

/// The man page and the help, which have one source.
struct ManualPageTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func run(_ executable: String, _ arguments: String...) async throws -> Outcome {
    try await ChildProcess(folder: folder, executable: executable, arguments: arguments).run()
  }

  /// The page as a reader sees it.
  private func page() async throws -> String {
    let roff = try await run(try BuiltProgram.path(), "--man")
    #expect(roff.code == 0)
    try folder.write(roff.output, to: "strandline.1")
    let shown = try await run(
      try BuiltProgram.tool("groff", package: "groff"), "-ww", "-man", "-Tutf8", "-P-cbou",
      "-rLL=200n", folder.path("strandline.1"))
    #expect(shown.code == 0)
    #expect(shown.error.isEmpty, "\(shown.error)")
    return shown.output
  }

  @Test func `the man page has every command and option of the help, and no warnings`()
    async throws
  {
    let page = try await page()
    let help = try await run(try BuiltProgram.path(), "--help").output.split(separator: "\n")
    let start = try #require(help.firstIndex(of: "Commands:"))
    let options = help[..<start].filter { $0.hasPrefix("  -") }
      .map { $0.split(separator: " ")[0] }
    let commands = help[start...].filter { $0.hasPrefix("  ") }.map { $0.split(separator: " ")[0] }

    #expect(options.count > 20 && commands.count > 30)
    for option in options { #expect(page.contains("\n       \(option)"), "\(option)") }
    for command in commands {
      #expect(page.contains(try Regex("\n       \(command)\\b")), "\(command)")
    }
    #expect(page.contains("EXIT STATUS"))
    #expect(page.contains("$XDG_CONFIG_HOME/strandline/rc"))
  }

  @Test func `man shows the page`() async throws {
    _ = try await page()
    let shown = try await run(
      try BuiltProgram.tool("man", package: "man-db"), "--warnings", "-l",
      folder.path("strandline.1"))

    #expect(shown.code == 0)
    #expect(shown.error.isEmpty, "\(shown.error)")
    #expect(shown.output.contains("toggle ID [FIELD]") || shown.output.contains("toggle "))
  }
}
