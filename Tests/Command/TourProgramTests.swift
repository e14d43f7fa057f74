import Foundation
import StrandlineTestSupport
import Testing

/// The tour as a program that nobody answers.
struct TourProgramTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("temporary")
  }

  /// The tour with a temporary folder of its own.
  private func tour(_ arguments: String...) throws -> ChildProcess {
    ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("env", package: "coreutils"),
      arguments: ["TMPDIR=" + folder.path("temporary"), try BuiltProgram.path(), "tour"] + arguments
    )
  }

  private func expectNothingLeft(at location: SourceLocation = #_sourceLocation) throws {
    #expect(try folder.names(in: "temporary").isEmpty, sourceLocation: location)
    #expect(!FileManager.default.fileExists(atPath: folder.path("person")))
  }

  @Test func `without a terminal the tour plays through and touches no home`() async throws {
    let outcome = try await tour().run()

    #expect(outcome.code == 0)
    #expect(outcome.output.contains("1. Saving"))
    #expect(outcome.output.contains("imported by laptop"))
    #expect(outcome.output.contains("are gone"))
    try expectNothingLeft()
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `a tour that is ended by a signal leaves nothing behind`(signal: Int32) async throws {
    let running = try tour().start()
    while try !running.printed().contains("1. Saving") {
      try Task.checkCancellation()
      await Task.yield()
    }
    kill(running.id, signal)
    let outcome = try await running.outcome()

    #expect(outcome.wasKilled && outcome.code == signal)
    try expectNothingLeft()
  }

  @Test func `a word after tour is one too many`() async throws {
    let outcome = try await tour("now").run()
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("one word too many"), "\(outcome.error)")
  }
}
