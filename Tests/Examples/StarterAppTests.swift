import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The starter app as a program, and its manifest as a user would copy it.
@Suite(.timeLimit(.minutes(10))) struct StarterAppTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("share")
  }

  private func run(_ device: String, _ words: String...) async throws -> Outcome {
    try await ChildProcess(
      folder: folder, executable: try BuiltProgram.path("StarterApp"),
      arguments: [
        "--home", folder.path(device), "--device", device, "--transport",
        "directory:" + folder.path("share"),
      ] + words
    ).run()
  }

  @Test func `two devices share a list`() async throws {
    #expect(try await run("phone", "add", "Buy", "milk").output == "Saved.\n")
    #expect(try await run("phone", "sync").output == "Imported 0, exported 1.\n")
    #expect(try await run("laptop", "sync").output == "Imported 1, exported 0.\n")
    #expect(try await run("laptop", "list").output == "1 [ ] Buy milk\n")

    #expect(try await run("laptop", "done", "1").output == "Saved.\n")
    _ = try await run("laptop", "sync")
    _ = try await run("phone", "sync")

    #expect(try await run("phone", "list").output == "1 [x] Buy milk\n")
    #expect(try await run("phone", "dance").code == 2)
  }

  @Test func `its manifest names products that this package has`() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let outcome = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("swift", package: "swiftlang"),
      arguments: [
        "package", "--package-path", root.appending(path: "Examples/StarterApp").path,
        "--scratch-path", folder.path("scratch"), "dump-package",
      ]
    ).run()
    #expect(outcome.code == 0, "\(outcome.error)")
    let manifest = try JSONValue(parsing: outcome.output)
    let target = try #require(manifest["targets"]?.elements?.first)
    let used = (target["dependencies"]?.elements ?? []).compactMap {
      $0["product"]?.elements?.first?.string
    }
    let own = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)

    #expect(
      used == ["Strandline", "StrandlineDirectoryTransport", "StrandlineHTTPTransport"])
    #expect(used.allSatisfy { own.contains(".library(name: \"\($0)\"") })
  }
}
