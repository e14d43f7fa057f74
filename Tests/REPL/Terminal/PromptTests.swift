import Foundation
import StrandlineTestSupport
import Testing

/// The whole program at a pseudo-terminal.
struct PromptTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("temporary")
  }

  /// Runs a body with the prompt of a device.
  private func prompt(
    _ options: String..., columns: Int = 80, rows: Int = 24, environment: [String: String] = [:],
    _ body: @escaping @Sendable (EditorSession) throws -> Void
  ) async throws {
    let program = [
      try BuiltProgram.path(), "--home", folder.path("home"), "--device", "phone", "-q",
    ]
    let variables = ["TMPDIR": folder.path("temporary"), "NO_COLOR": "1"]
    try await EditorSession.run(
      columns: columns, rows: rows, folder: folder,
      environment: variables.merging(environment) { $1 }, program: program + options, body)
  }

  // MARK: The start file

  @Test func `the start file runs before the first prompt and stops at its first error`()
    async throws
  {
    try folder.write("mode csv\nmoed json\nmode json\n", to: ".config/strandline/rc")
    try await prompt(columns: 140) { session in
      try session.waitForText("strandline/rc:2")
      session.type("mode\r")
      try session.waitForText("\ncsv\n")
    }
    try await prompt("--no-rc") { session in
      session.type("mode\r")
      try session.waitForText("\ntable\n")
      #expect(!session.screen.text.contains("rc:2"))
    }
  }

  @Test func `a start file that is no text is told, and the prompt follows`() async throws {
    try folder.write(Data([0xFF, 0xFE, 0x00]), to: ".config/strandline/rc")
    try await prompt { session in
      #expect(session.screen.text.contains("Could not read the start file"))
    }
  }

  // MARK: Programs that borrow the terminal

  @Test func `what is taller than the screen goes to the pager, and nothing else does`()
    async throws
  {
    try await prompt(environment: ["PAGER": "sed -n 's/^Records$/paged &/p'"]) { session in
      session.type("mode\r")
      try session.waitForText("\ntable\n")
      session.type("help\r")
      try session.waitForText("paged Records")
      try session.wait("a prompt") { $0.endsWithPrompt }
      #expect(!session.screen.text.contains("Session"))
    }
  }

  @Test(arguments: ["", "no-such-pager"])
  func `without a pager the text is shown whole`(pager: String) async throws {
    try await prompt(environment: ["PAGER": pager]) { session in
      session.type("help\r")
      try session.waitForText("Type help COMMAND")
      try session.wait("a prompt") { $0.endsWithPrompt }
    }
  }

  @Test func `a pager that is left early does no harm`() async throws {
    try await prompt(environment: ["PAGER": "head -n 1"]) { session in
      session.type("help\r")
      try session.waitForText("Records")
      try session.wait("a prompt") { $0.endsWithPrompt }
    }
  }

  @Test func `a shell runs commands at the terminal and says how they failed`() async throws {
    try await prompt { session in
      session.type("shell echo \"one  two\" | tr a-z A-Z\r")
      try session.waitForText("ONE  TWO")
      session.type("shell exit 3\r")
      try session.waitForText("status 3")
      session.type("shell\r")
      try session.wait("the shell's own prompt") { screen in
        ["#", "$"].contains { screen.lines.last?.hasSuffix($0) == true }
      }
      session.type("test -t 0 && echo is a terminal; exit\r")
      try session.waitForText("\nis a terminal")
      try session.wait("a prompt") { $0.endsWithPrompt }
    }
  }

  // MARK: The tour

  @Test func `the tour waits for each step and leaves nothing behind`() async throws {
    let folder = folder
    try await prompt { session in
      session.type("tour\r")
      try session.waitForText("save TodoList title=Home")
      try session.waitForText("[Enter]")
      #expect(!session.screen.text.contains("Saved TodoList"))
      #expect(try folder.names(in: "temporary").count == 1)
      session.type("\r")
      try session.waitForText("Saved TodoList")
      try session.waitForText("list TodoList")
      session.type("q\r")
      try session.waitForText("are gone")
      session.type("count TodoList\r")
      try session.waitForText("\n0\n")
      #expect(try folder.names(in: "temporary").isEmpty)
    }
  }

  @Test(arguments: [SIGTERM, SIGHUP])
  func `a tour at the prompt that is ended by a signal leaves nothing behind`(
    signal: Int32
  ) async throws {
    let folder = folder
    try await prompt { session in
      session.type("tour\r")
      try session.waitForText("[Enter]")
      session.send(signal)
      #expect(try session.waitForEnd() & 0x7F == signal)
      #expect(try folder.names(in: "temporary").isEmpty)
    }
  }

  // MARK: History

  @Test func `the history of a killed session stays, for its owner alone and without secrets`()
    async throws
  {
    try await prompt { session in
      session.type("count Tag\r")
      try session.waitForText("\n0\n")
      session.type("transport use https://ann:hunter2@example.invalid\r")
      try session.wait("the error") { $0.text.contains("Could not") && $0.endsWithPrompt }
      session.send(SIGKILL)
      _ = try session.waitForEnd()
    }
    let history = ".local/state/strandline/history"
    #expect(try folder.read(history) == "count Tag\n")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(history))
    #expect((attributes[.posixPermissions] as? NSNumber)?.int16Value == 0o600)
    try await prompt { session in
      session.type("\u{10}")
      try session.waitForText("phone off> count Tag")
    }
  }

  // MARK: Beginning and ending

  @Test func `the prompt comes although the server never answers`() async throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    try #require(isBound)
    let port = UInt16(bigEndian: address.sin_port)
    try await prompt("--transport", "http://127.0.0.1:\(port)") { session in
      session.type("save Tag name=x\r")
      try session.waitForText("Saved Tag")
      try session.wait("a prompt") { $0.endsWithPrompt }
    }
  }

  @Test func `a session that SIGTERM ends frees the store for the next one`() async throws {
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    for _ in 1...2 {
      try await prompt("--transport", transport) { session in
        session.type("sync\r")
        try session.waitForText("Nothing was waiting")
        session.send(SIGTERM)
        #expect(try session.waitForEnd() & 0x7F == SIGTERM)
        #expect(session.settings.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON))
      }
    }
  }
}
