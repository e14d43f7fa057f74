import Foundation
import StrandlineTestSupport
import Testing

@Suite struct BenchProgramTests {
  private func run(_ words: String...) async throws -> Outcome {
    let folder = try TemporaryFolder()
    return try await ChildProcess(
      folder: folder, executable: try BuiltProgram.path("strandline-bench"), arguments: words
    ).run()
  }

  @Test func `a debug build is refused, since its speed means nothing`() async throws {
    let outcome = try await run("--short", "--only", "save")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("debug build"))
    #expect(outcome.output.isEmpty)
  }

  @Test func `each row is listed once with what it measures`() async throws {
    let outcome = try await run("--list")
    let names = outcome.output.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(outcome.code == 0)
    #expect(Set(names).count == names.count)
    for wanted in ["insert", "update", "save", "fetch", "import", "export", "first-sync", "start"] {
      #expect(names.contains(Substring(wanted)))
    }
  }

  @Test func `a wrong word ends it with exit code 2 and says what to do`() async throws {
    let outcome = try await run("--only", "inserts")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("Did you mean insert?"))
  }
}
