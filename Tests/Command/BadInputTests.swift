import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// A wrong input, how the program must end, and what it must say.
struct BadInput: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let arguments: [String]
  let code: Int32
  let name: String
  /// Words of the message that name what failed and what to do.
  let says: [String]
  /// Whether the error points at a word.
  var column: Int64?

  init(
    _ description: String, _ arguments: [String], _ code: Int32, _ name: String, _ says: [String],
    column: Int64? = nil
  ) {
    testDescription = description
    self.arguments = arguments
    self.code = code
    self.name = name
    self.says = says
    self.column = column
  }
}

struct BadInputTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  static let inputs: [BadInput] = [
    BadInput(
      "unknown command", ["frobnicate"], 2, "unknownCommand",
      ["Could not run 'frobnicate'", "help"], column: 1),
    BadInput(
      "misspelt command", ["lst", "TodoItem"], 2, "unknownCommand", ["Did you mean list?"],
      column: 1),
    BadInput(
      "unknown entity", ["save", "TodoItm", "name=x"], 1, "unknownEntity",
      ["'TodoItm'", "Did you mean TodoItem?"], column: 6),
    BadInput(
      "unknown field", ["save", "TodoItem", "nme=x"], 2, "unknownField",
      ["'nme'", "Did you mean name?"], column: 15),
    BadInput(
      "unknown column of a condition", ["list", "TodoItem", "where", "nme", "=", "1"], 1,
      "invalidQuery", ["'nme'", "Name a column"]),
    BadInput(
      "unknown id", ["set", "abcdef", "name=x"], 1, "unknownID", ["'abcdef'", "List the records"],
      column: 5),
    BadInput(
      "row of no listing", ["set", "#1", "name=x"], 1, "unknownRow",
      ["'#1'", "List the records first"], column: 5),
    BadInput(
      "id that is too short", ["show", "abc"], 1, "shortID", ["at least 6 characters"], column: 6),
    BadInput(
      "unknown transport", ["transport", "use", "directoy:/tmp"], 4, "unknownTransport",
      ["'directoy:/tmp'", "Did you mean directory?"], column: 15),
    BadInput(
      "unknown transport as an option", ["--transport", "pigeon:1", "status"], 4,
      "unknownTransport", ["'pigeon:1'", "Use one of"]),
    BadInput(
      "text for a number", ["save", "TodoItem", "priority=much"], 2, "wrongType",
      ["'priority'", "'much'", "whole number"], column: 24),
    BadInput(
      "text for a date", ["save", "TodoItem", "due=tomorrow"], 2, "wrongType",
      ["'due'", "2026-11-30"], column: 19),
    BadInput(
      "text for a boolean", ["save", "TodoItem", "done=maybe"], 2, "wrongType",
      ["'done'", "true or false"], column: 20),
    BadInput(
      "null for what is required", ["save", "TodoItem", "name=null"], 2, "wrongType",
      ["'name'", "required"], column: 20),
    BadInput(
      "missing word", ["list"], 2, "missingWord", ["entity is missing", "Usage"], column: 6),
    BadInput(
      "one word too many", ["show", "abcdef", "more"], 2, "strayWord", ["'more'", "Usage"],
      column: 13),
    BadInput(
      "unknown option of a command", ["sync", "--wiat", "3"], 2, "unknownOption",
      ["'--wiat'", "Did you mean wait?"], column: 6),
    BadInput(
      "option of no command", ["save", "Tag", "--name=x"], 2, "unknownOption",
      ["'--name'", "Usage"], column: 10),
    BadInput("no number of seconds", ["sync", "--wait", "x"], 2, "wrongType", ["sync --wait 10"]),
    BadInput("unknown mode", ["mode", "tabel"], 2, "unknownMode", ["Did you mean table?"]),
    BadInput("sync without a transport", ["sync"], 4, "switchedOff", ["transport use SPEC"]),
    BadInput("sync of a local session", ["--local", "sync"], 1, "localOnly", ["without --local"]),
    BadInput(
      "folder that does not exist", ["--transport", "directory:/nowhere/at all", "sync"], 4,
      "zoneNotFound", ["'/nowhere/at all'", "does not exist", "Create it"]),
    BadInput(
      "confirmation without --yes", ["sync", "off"], 1, "confirmationNeeded", ["--yes"]),
    BadInput(
      "write to SQL", ["sql", "DELETE", "FROM", "TodoItem"], 1, "readOnly",
      ["only reads", "Use save"]),
    BadInput(
      "file that does not exist", ["import", "none.csv", "TodoItem"], 1, "cannotRead",
      ["'none.csv'", "no such file"]),
    BadInput("commit without begin", ["commit"], 1, "noTransaction", ["Use begin"]),
    BadInput("unknown option", ["--bogus"], 2, "usage", ["'--bogus'", "--help"]),
    BadInput("misspelt option", ["--trasport", "none"], 2, "usage", ["Did you mean --transport?"]),
    BadInput("missing value", ["status", "--transport"], 2, "usage", ["its value is missing"]),
    BadInput("unknown environment", ["--environment", "test"], 2, "usage", ["development"]),
    BadInput(
      "command beside -c", ["-c", "status", "list"], 2, "usage", ["'list'", "Leave it away"]),
    BadInput(
      "bad device name", ["--device", "../up", "status"], 2, "invalidDevice", ["'../up'"]),
    BadInput(
      "model that is not there", ["--model", "none.json", "status"], 3, "modelNotFound",
      ["'none.json'", "Check the path"]),
    BadInput("script that is not there", ["-f", "none"], 2, "cannotRead", ["'none'", "Check"]),
  ]

  @Test(arguments: inputs)
  func `a wrong input is told with a remedy and changes nothing`(_ input: BadInput) async throws {
    try await device.succeed("save", "TodoItem", "name=kept")
    let rows = try await device.allRows()

    let outcome = try await device.run(input.arguments)
    #expect(outcome.code == input.code, "\(outcome.error)")
    #expect(!outcome.wasKilled)
    for words in input.says { #expect(outcome.error.contains(words), "\(outcome.error)") }
    #expect(!outcome.error.contains(".  "), "\(outcome.error)")
    #expect(outcome.error.contains("Could not") || outcome.error.contains("--yes"))

    #expect(try await device.allRows() == rows)
    #expect(try folder.names(in: "phone").filter { !$0.hasPrefix("phone") } == ["model.json"])
  }

  @Test(arguments: inputs)
  func `with --json a wrong input is told as an object`(_ input: BadInput) async throws {
    let outcome = try await device.run(["--json"] + input.arguments)

    #expect(outcome.code == input.code, "\(outcome.error)")
    let objects = try outcome.errorObjects()
    #expect(objects.count == 1, "\(outcome.error)")
    let error = try #require(objects.first?["error"])
    #expect(error["code"]?.string == input.name, "\(error.text)")
    let text = [error["message"]?.string, error["recovery"]?.string].compactMap(\.self)
      .joined(separator: " ")
    for words in input.says { #expect(text.contains(words), "\(text)") }
    #expect(error["recovery"]?.string?.isEmpty == false)
    #expect(error["at"] != nil)
    if let column = input.column {
      #expect(error["at"]?["column"]?.integer == column, "\(error.text)")
      #expect(error["at"]?["line"]?.integer == 1)
    }
  }

  @Test func `a script stops at its first error and names file and line`() async throws {
    let script =
      "save TodoItem name=one\n\n# a remark\nsave TodoItm name=two\nsave Tag name=three\n"
    try folder.write(script, to: "edits.txt")
    let path = folder.path("edits.txt")

    let outcome = try await device.run(["-f", path])
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("\(path):4: Could not use 'TodoItm'"), "\(outcome.error)")
    #expect(try await device.succeed("count", "TodoItem") == "1")
    #expect(try await device.succeed("count", "Tag") == "0")

    let piped = try await device.run([], input: script)
    #expect(piped.code == 1)
    #expect(piped.error.contains("stdin:4: "))
    let json = try await device.run(["--json", "-f", path])
    #expect(try json.errorObjects().first?["error"]?["at"]?["line"]?.integer == 4)
  }

  @Test func `deleting several records asks, and --yes answers`() async throws {
    let first = try await device.succeed("save", "Tag", "name=a")
    let second = try await device.succeed("save", "Tag", "name=b")

    let outcome = try await device.run(["delete", first, second])
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("This deletes 2 records."), "\(outcome.error)")
    #expect(try await device.succeed("count", "Tag") == "2")
    try await device.succeed("delete", first, second, "--yes")
    #expect(try await device.succeed("count", "Tag") == "0")
  }

  @Test func `rows that are broken are named by line and nothing is saved`() async throws {
    try folder.write("name,priority\na,1\nb,2,3\nc,much\n", to: "rows.csv")
    let outcome = try await device.run(["import", folder.path("rows.csv"), "TodoItem"])

    #expect(outcome.code == 1)
    for words in ["2 rows cannot be saved", "line 3", "Line 4", "'much'", "nothing was saved"] {
      #expect(outcome.error.contains(words), "\(outcome.error)")
    }
    #expect(try await device.succeed("count", "TodoItem") == "0")
  }
}
