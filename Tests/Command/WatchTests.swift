import StrandlineModels
import StrandlineTestSupport
import Testing

/// A listing that is shown again when a transaction touches it, whoever made that.
@Suite struct WatchTests {
  private let folder: TemporaryFolder
  private let phone: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    phone = CommandDevice("phone", in: folder, options: ["--local"])
  }

  /// Starts to watch.
  private func watch(_ arguments: String...) throws -> Running {
    try phone.process(["--json", "watch"] + arguments).start()
  }

  /// Waits until so many listings were printed, and gives the names in each.
  private func listings(_ count: Int, of watch: Running) async throws -> [[String]] {
    while true {
      let lines = try watch.printed().split(separator: "\n", omittingEmptySubsequences: false)
      // The last line may not be whole yet.
      if lines.count > count {
        return try lines.dropLast().map { line in
          let records = try JSONValue(parsing: String(line))["watch"]?["records"]?.elements ?? []
          return records.compactMap { $0["fields"]?["name"]?.string }
        }
      }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `what other processes change is shown, and what is not watched is not`() async throws {
    try await phone.succeed("save", "Tag", "name=a")
    let watch = try watch("Tag", "where", "length(name)", "<", "6", "order", "by", "name")
    #expect(try await listings(1, of: watch) == [["a"]])

    try await phone.succeed("save", "Tag", "name=hidden")
    try await phone.succeed("save", "TodoItem", "name=milk")
    try await phone.shell("INSERT INTO Tag(id, name) VALUES ('z', 'hand')")
    #expect(try await listings(2, of: watch).last == ["a", "hand"])

    try await phone.shell("DELETE FROM Tag WHERE name = 'hand'")
    let all = try await listings(3, of: watch)
    #expect(all.count == 3)
    #expect(all.last == ["a"])
    watch.kill()
    _ = try await watch.outcome()
  }

  @Test func `a listing that is counted ends by itself, by changes and by the clock`()
    async throws
  {
    try await phone.succeed("save", "Tag", "name=a")
    for pace in [["--count", "1"], ["--every", "0.1", "--count", "3"]] {
      let count = try #require(pace.last.flatMap(Int.init))
      let outcome = try await phone.run(
        ["--json", "watch", "Tag", "where", "name > ''", "order", "by", "name"] + pace)
      #expect(outcome.code == 0, "\(outcome.error)")
      #expect(try outcome.objects().count == count)
    }
    for wrong in [["--count", "0"], ["--every", "soon"], ["--evry", "3"]] {
      #expect(try await phone.run(["watch", "Tag"] + wrong).code != 0)
    }
  }

  @Test func `a condition that cannot be run is told before anything is watched`() async throws {
    let outcome = try await phone.run(["watch", "Tag", "where", "nme", "=", "1"])
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("it has no column 'nme'"))
  }
}
