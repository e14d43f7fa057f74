import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Pinned generations and contexts, as a person uses them.
struct ContextCommandTests {
  let device: CommandDevice

  init() throws {
    device = CommandDevice("phone", in: try TemporaryFolder())
  }

  /// Runs commands in one session.
  private func session(_ commands: String..., json: Bool = false) async throws -> Outcome {
    try await device.run((json ? ["--json"] : []) + commands.flatMap { ["-c", $0] })
  }

  @Test func `pinned reads stay until advance and unpin`() async throws {
    let outcome = try await session(
      "save Tag name=one", "pin", "save Tag name=two", "count Tag", "sql SELECT count(*) FROM Tag",
      "advance", "count Tag", "save Tag name=three", "count Tag", "unpin", "count Tag")

    #expect(outcome.code == 0, "\(outcome.error)")
    let numbers = outcome.output.split(separator: "\n").compactMap { Int($0) }
    #expect(numbers.filter { $0 < 10 } == [1, 2, 2, 3])
    #expect(outcome.error.contains("Pinned at history token 1."))
    #expect(outcome.error.contains("Advanced to history token 2."))
  }

  @Test func `without a pin there is nothing to advance`() async throws {
    for command in ["advance", "unpin"] {
      let outcome = try await session(command)
      #expect(outcome.code == 1)
      #expect(outcome.error.contains("nothing is pinned"))
    }
  }

  @Test func `edits in a context are saved by commit, and by its policy`() async throws {
    try await device.succeed("save", "Tag", "name=before")

    let outcome = try await session(
      "context draft --policy objectTrumps", "list Tag", "set #1 name=mine", "save Tag name=new",
      "count Tag", "context store", "count Tag", "set #1 name=theirs", "context draft", "list Tag",
      "commit", "context store", "mode csv", "list Tag order by name")

    #expect(outcome.code == 0, "\(outcome.error)")
    let counts = outcome.output.split(separator: "\n").filter { $0 == "1" || $0 == "2" }
    #expect(counts == ["2", "1"])
    #expect(outcome.error.contains("Saved the context: 1 saved, 1 merged, 0 discarded."))
    #expect(
      outcome.error.contains("name: read before, store theirs, context mine; the context's stands"))
    #expect(outcome.output.contains("\nmine,"))
    #expect(outcome.output.contains("\nnew,"))
    #expect(!outcome.output.contains("\ntheirs,"))
  }

  @Test func `a refused commit lists the conflicts and can be repeated`() async throws {
    try await device.succeed("save", "Tag", "name=before")

    let outcome = try await session(
      "context draft", "list Tag", "set #1 name=mine", "context store", "set #1 name=theirs",
      "context draft", "try commit", "context --policy storeTrumps", "commit", "context store",
      "mode csv", "list Tag")

    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(outcome.error.contains("Could not save the context, a record was changed"))
    #expect(outcome.error.contains("name: read before, store theirs, context mine\n"))
    #expect(outcome.error.contains("the store's stands"))
    #expect(outcome.output.contains("\ntheirs,"))
  }

  @Test func `every edit works in a context, and rollback discards them`() async throws {
    let item = try await device.succeed("save", "TodoItem", "name=milk")
    let tag = try await device.succeed("save", "Tag", "name=red")

    let outcome = try await session(
      "context draft --policy error", "toggle \(item) done", "add \(item) tags \(tag)",
      "show \(item)", "commit", "remove \(item) tags \(tag)", "delete \(tag)", "rollback",
      "context store", "count TodoItem where done = 1", "show \(tag)")

    #expect(outcome.code == 0, "\(outcome.error)")
    #expect(outcome.error.contains("Saved the context: 2 saved, 0 merged, 0 discarded."))
    #expect(outcome.error.contains("Discarded the unsaved edits."))
    #expect(outcome.output.contains("\n1\n"))
    #expect(outcome.output.contains("red"))
  }

  @Test func `edits that were never saved fail the script`() async throws {
    let outcome = try await session("context draft", "save Tag name=lost", "context store")

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("Could not keep the edits in the context draft"))
    #expect(try await device.succeed("count", "Tag") == "0")
  }

  @Test func `contexts are listed with their policies and edits`() async throws {
    let outcome = try await session(
      "context draft --policy overwrite", "save Tag name=x", "context", "rollback", json: true)

    #expect(outcome.code == 0, "\(outcome.error)")
    let listed = try #require(outcome.output.split(separator: "\n").dropFirst(2).first)
    #expect(
      listed
        == "{\"context\":{\"name\":\"draft\",\"current\":true,\"policy\":\"overwrite\",\"unsaved\":1,\"pinned\":null}}"
    )
  }

  @Test func `what makes no sense is refused with advice`() async throws {
    for (commands, words) in [
      (["context a --policy objectTrump"], "Did you mean objectTrumps?"),
      (["context --policy error"], "Name a context"),
      (["context a", "begin"], "edits are kept in a context"),
      (["begin", "context a"], "a transaction is open"),
      (["begin", "pin"], "a transaction is open"),
      (["context a b"], "one word too many"),
    ] {
      let outcome = try await device.run(commands.flatMap { ["-c", $0] })
      #expect(outcome.code != 0, "\(commands)")
      #expect(outcome.error.contains(words), "\(commands): \(outcome.error)")
    }
  }
}
