import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct ProgramTests {
  @Test func `options stand before, between and after the words`() async throws {
    let keeper = try Keeper()
    let elsewhere = keeper.folder.path("elsewhere")

    #expect(await keeper.type("--data", elsewhere, "account", "add", "ann").code == .done)
    #expect(await keeper.type("account", "--data=\(elsewhere)", "list", "--json").code == .done)
    let listed = await keeper.type("account", "list", "--json", "--data", elsewhere)

    #expect(try listed.objects.map { $0["account"]?.string } == ["ann"])
    #expect(!FileManager.default.fileExists(atPath: keeper.data))
  }

  @Test(
    arguments: [
      (["acount", "add", "ann"], "Did you mean 'account'?"),
      (["account", "ad", "ann"], "Did you mean 'add'?"),
      (["account"], "it needs a word after it"),
      (["token", "list", "--jsn"], "Did you mean '--json'?"),
      (["account", "add"], "a word is missing"),
      (["account", "add", "a", "b"], "'b' is one word too many"),
      (["account", "list", "--yes"], "it does not take --yes"),
      (["token", "create", "ann", "--expires"], "its value is missing"),
      (["check", "--json", "--json"], "given twice"),
      ([], "no command is named"),
    ])
  func `a call that makes no sense ends with 2 and says what was meant`(
    _ words: [String], _ text: String
  ) async throws {
    let keeper = try Keeper()

    let outcome = await keeper.type(words)

    #expect(outcome.code == .usage && outcome.output == [])
    #expect(outcome.said.contains(text), "\(outcome.said)")
  }

  @Test func `data that is not there ends with 3 and says how to begin`() async throws {
    let keeper = try Keeper()

    let outcome = await keeper.type("account", "list")

    #expect(outcome.code == .data && outcome.said.contains("account add NAME"))
    #expect(!FileManager.default.fileExists(atPath: keeper.data))
  }

  @Test func `every command has help with an example of its own`() async throws {
    let keeper = try Keeper()
    let overview = await keeper.type("help").output.joined()
    let names = [
      "serve", "account add", "account list", "account remove", "token create", "token list",
      "token revoke", "schema show", "schema init", "schema deploy", "zone list", "zone purge",
      "record list", "record show", "record set", "record delete", "backup", "restore", "check",
    ]

    for name in names {
      let words = name.split(separator: " ").map(String.init)
      let help = await keeper.type(["help"] + words)
      #expect(overview.contains(name) && help.code == .done)
      #expect(help.output.joined().contains("Example:\n  strandline-server \(name)"), "\(name)")
      #expect(await keeper.type(words + ["--help"]).output == help.output)
    }
  }

  @Test func `errors are JSON where results are`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")

    let outcome = await keeper.type("token", "list", "bob", "--json")

    let error = try JSONValue(parsing: outcome.said)["error"]
    #expect(error?["code"]?.string == "unknownAccount" && error?["message"]?.string != nil)
  }

  @Test func `the version is told`() async throws {
    let outcome = await (try Keeper()).type("--version")

    #expect(outcome.output == ["strandline-server \(ServerProgram.version)"])
  }

  @Test func `texts from devices cannot move a terminal's cursor`() async throws {
    let keeper = try Keeper()
    let storage = try FileCloud.open(keeper.data)
    try storage.begin(.durable)
    try storage.add(Account(name: "ann\u{1B}[2J", createdAt: 1))
    try storage.commit()

    let printed = await keeper.type("account", "list").output.joined()

    #expect(printed.contains("ann") && !printed.contains("\u{1B}"))
  }

  @Test func `the built program prints the token alone`() async throws {
    let folder = try TemporaryFolder()
    let path = try BuiltProgram.path("strandline-server")
    let data = folder.path("data")
    let added = try await ChildProcess(
      folder: folder, executable: path, arguments: ["--data", data, "account", "add", "ann"]
    ).run()
    let created = try await ChildProcess(
      folder: folder, executable: path, arguments: ["token", "create", "ann", "--data", data]
    ).run()
    let wrong = try await ChildProcess(folder: folder, executable: path, arguments: ["x"]).run()

    #expect(added.code == 0 && added.output.isEmpty)
    #expect(TokenSecret(created.output.trimmingCharacters(in: .newlines)) != nil)
    #expect(wrong.code == 2 && wrong.output.isEmpty)
  }
}
