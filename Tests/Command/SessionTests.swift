import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// How the program is started, and what a session keeps.
struct SessionTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  /// Runs the program with these arguments and no others.
  private func run(_ arguments: String..., input: String = "") async throws -> Outcome {
    try await ChildProcess(
      folder: folder, executable: try BuiltProgram.path(), arguments: arguments
    ).run(input: input)
  }

  @Test func `--version and --help answer without making a home`() async throws {
    let version = try await run("--version")
    #expect(version.code == 0)
    #expect(
      version.output.contains(/^strandline \d+\.\d+\.\d+\nSQLite \d.*, libedit \d.*\n$/))

    let help = try await run("--help")
    #expect(help.code == 0)
    #expect(help.error.isEmpty)
    for option in [
      "--home", "--config", "--model", "--device", "--transport", "--local", "--read-only",
      "--in-memory", "--token-file", "--ca-file", "STRANDLINE_TOKEN", "STRANDLINE_CA_FILE",
      "--zone", "--environment", "--json", "--yes", "--color",
      "--version", "--help", "Exit codes",
    ] {
      #expect(help.output.contains(option), "\(option)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("person")))
  }

  @Test func `commands and scripts read no start file`() async throws {
    try folder.write("save Tag name=unwanted\n", to: "person/.config/strandline/rc")

    #expect(try await device.succeed("-c", "count Tag") == "0")
    #expect(try await device.succeed("count", "Tag") == "0")
    #expect(try await device.succeed(input: "count Tag\n") == "0")
  }

  @Test(arguments: [
    ("pending", 0), ("history", 0), ("status", 0), ("sync", 1), ("sync on", 1), ("sync off", 1),
    ("sync auto off", 1), ("transport use none", 1), ("device laptop", 1), ("begin", 1),
  ])
  func `no command waits for the transaction that the person has open`(
    command: String, code: Int32
  ) async throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("shared"), withIntermediateDirectories: true)
    let phone = CommandDevice(
      "phone", in: folder, transport: "directory:" + folder.path("shared"), options: ["--yes"])

    let outcome = try await phone.run(["-c", "begin", "-c", command, "-c", "rollback"])

    #expect(outcome.code == code)
    #expect(outcome.error.contains("a transaction is open") == (code != 0))
  }

  @Test func `in the background nothing is synced by itself, and saving goes on`() async throws {
    let outcome = try await device.run([
      "-c", "background", "-c", "save Tag name=x", "-c", "foreground", "-c", "count Tag",
    ])

    #expect(outcome.code == 0)
    #expect(outcome.output.hasSuffix("1\n"))
    #expect(try await device.object("background")["active"] == .bool(false))
    #expect(try await device.object("foreground")["active"] == .bool(true))
  }

  @Test func `a trace tells which consumers have merged a change`() async throws {
    let id = try await device.object("save", "Tag", "name=x")["saved"]?["id"]?.string ?? ""
    _ = try await device.run(["consume", "list"])

    let gates = try await device.object("trace", "#\(id)")["trace"]?["mergedBy"]?.elements

    #expect(gates?.count == 1)
    #expect(gates?.first?["consumer"]?.string == "list")
    #expect(gates?.first?["at"]?.string != nil)
  }

  @Test func `options may stand before and after the command and -c`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    let home = ["--home", folder.path("phone"), "--device", "phone"]
    let ways = [
      home + ["count", "Tag"], ["count", "Tag"] + home, ["count"] + home + ["Tag"],
      ["-c", "count Tag"] + home, home + ["-c", "count Tag"],
      ["--device=phone", "count", "Tag", "--home=" + folder.path("phone")],
    ]
    for arguments in ways {
      let outcome = try await ChildProcess(
        folder: folder, executable: try BuiltProgram.path(), arguments: arguments
      ).run()
      #expect(outcome.code == 0, "\(arguments): \(outcome.error)")
      #expect(outcome.output == "1\n", "\(arguments)")
    }
  }

  @Test func `several -c run in their order and share the session`() async throws {
    let output = try await device.succeed(
      "-c", "save Tag name=a", "-c", "list Tag", "-c", "set #1 name=b", "-c", "mode csv", "-c",
      "list Tag")

    #expect(output.hasSuffix(output.prefix(36)), "\(output)")
    #expect(output.contains("\nname,id\r\nb,") || output.contains("\nname,id\nb,"), "\(output)")
  }

  @Test func `a script comes from a file or from standard input`() async throws {
    let script = "# three ways\nsave Tag \\\n  name='of two lines'\ncount Tag\n"
    try folder.write(script, to: "script.txt")

    #expect(try await device.succeed("-f", folder.path("script.txt")).hasSuffix("\n1"))
    #expect(try await device.succeed("-f", "-", input: script).hasSuffix("\n2"))
    #expect(try await device.succeed(input: script).hasSuffix("\n3"))
    #expect(
      try await device.shell("SELECT DISTINCT name FROM Tag") == "'of two lines'")
  }

  @Test func `a script may come through a pipe and may be empty`() async throws {
    try await device.succeed("save", "Tag", "name=x")
    let options = device.options.map { "'\($0)'" }.joined(separator: " ")
    let piped = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("bash", package: "bash"),
      arguments: ["-c", "'\(try BuiltProgram.path())' \(options) -f <(echo count Tag)"]
    ).run()

    #expect(piped.code == 0, "\(piped.error)")
    #expect(piped.output == "1\n")
    #expect(try await device.succeed("-f", "/dev/null") == "")
    try folder.write(Data([0xFF, 0xFE, 0x00]), to: "binary.txt")
    let binary = try await device.run(["-f", folder.path("binary.txt")])
    #expect(binary.code == 2)
    #expect(binary.error.contains("UTF-8"), "\(binary.error)")
  }

  @Test func `a session for reading reads and makes nothing`() async throws {
    let fresh = try await device.run(["--read-only", "count", "Tag"])
    #expect(fresh.code == 3)
    #expect(!FileManager.default.fileExists(atPath: folder.path("phone")))

    try await device.succeed("save", "Tag", "name=x")
    let rows = try await device.allRows()
    #expect(try await device.succeed("--read-only", "count", "Tag") == "1")
    #expect(try await device.succeed("--read-only", "status").contains("phone"))
    let write = try await device.run(["--read-only", "save", "Tag", "name=y"])
    #expect(write.code == 1)
    #expect(write.error.contains("reading only"), "\(write.error)")
    let sync = try await device.run(["--read-only", "--transport", "memory", "sync"])
    #expect(sync.code == 1)
    #expect(try await device.allRows() == rows)
  }

  @Test func `a session in memory leaves nothing behind`() async throws {
    let output = try await device.succeed(
      "--in-memory", "--transport", "memory", "-c", "save Tag name=x", "-c", "sync", "-c",
      "device other", "-c", "sync", "-c", "count Tag")

    #expect(output.hasSuffix("\n1"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("phone")))
  }

  @Test func `a local session saves for a later one to sync`() async throws {
    try folder.makeFolder("shared")
    let transport = ["--transport", "directory:" + folder.path("shared")]
    _ = try await device.run(transport + ["--local", "save", "Tag", "name=x"])
    #expect(try folder.names(in: "shared").isEmpty)

    let sync = try await device.run(["--json"] + transport + ["sync"]).objects().first
    #expect(sync?["sync"]?["exported"]?.integer == 1)
  }

  @Test func `the status of a device without a transport calls nothing blocked`() async throws {
    try await device.succeed("--transport", "memory", "sync")
    let status = try await device.succeed("status")

    #expect(status.contains("no transport is followed"), "\(status)")
    #expect(!status.contains("blocked"), "\(status)")
  }

  @Test func `edits between begin and commit are one transaction`() async throws {
    try await device.succeed(
      input: "begin\nsave Tag name=a\nsave Tag name=b\nlist Tag\nset #1 name=c\ncommit\n")
    let history = try await device.run(["--json", "history"]).objects()

    #expect(history.count == 1)
    let changes = history.first?["transaction"]?["changes"]?.elements ?? []
    #expect(Set(changes.compactMap { $0["id"]?.string }).count == 2)
    #expect(try await device.shell("SELECT name FROM Tag ORDER BY name") == "'b'\n'c'")
  }

  @Test func `what is rolled back or never committed leaves nothing`() async throws {
    try await device.succeed(input: "begin\nsave Tag name=a\nrollback\n")
    let open = try await device.run([], input: "begin\nsave Tag name=b\n")
    #expect(open.code == 1)
    #expect(open.error.contains("never committed"), "\(open.error)")
    let failed = try await device.run(
      [], input: "begin\nsave Tag name=c\nsave Tga name=d\ncommit\n")
    #expect(failed.code == 1)

    #expect(try await device.succeed("count", "Tag") == "0")
    #expect(try await device.run(["--json", "history"]).objects().isEmpty)
  }

  @Test func `a reader that stops early is no error`() async throws {
    let script = (1...2000).map { "save Tag name='tag number \($0)'" }.joined(separator: "\n")
    try await device.succeed(input: "begin\n" + script + "\ncommit\n")
    let options = device.options.map { "'\($0)'" }.joined(separator: " ")
    let command =
      "'\(try BuiltProgram.path())' \(options) list Tag | head -1; "
      + "echo ${PIPESTATUS[0]}"
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("bash", package: "bash"),
      arguments: ["-c", command]
    ).run()

    #expect(outcome.error.isEmpty, "\(outcome.error)")
    #expect(outcome.lines.count == 2)
    #expect(outcome.lines.first?.contains("name") == true)
    #expect(outcome.lines.last == "0", "\(outcome.output)")
  }
}
