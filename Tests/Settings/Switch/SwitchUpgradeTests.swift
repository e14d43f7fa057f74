import Foundation
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A purge that was asked for when stores kept only that it was.
struct SwitchUpgradeTests {
  private static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Storage/Fixtures")

  @Test func `a purge that an older store has pending is pending for its peer`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      try Data(contentsOf: Self.fixtures.appending(path: "format-4.sqlite")), to: "store.sqlite")
    let changed = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("sqlite3", package: "sqlite3"),
      arguments: [
        folder.path("store.sqlite"), "UPDATE strandline_switch SET wanted = 0, pending_purge = 1",
      ]
    ).run()
    #expect(changed.code == 0, "\(changed.error)")

    let model = try String(
      contentsOf: Self.fixtures.appending(path: "model.json"), encoding: .utf8)
    let store = try await Store.open(
      .file(folder.path("store.sqlite")), schema: try Schema(parsing: model))

    let state = try await store.read { try $0.syncSwitch() }
    #expect(state.purges.map(\.peer) == [1])
    #expect(!state.isWanted)
  }
}
