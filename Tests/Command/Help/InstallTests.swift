import Foundation
import StrandlineTestSupport
import Testing

/// `make install` and `make uninstall`, with the programs that were built for the tests.
struct InstallTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func make(_ target: String) async throws -> Outcome {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let programs = URL(fileURLWithPath: try BuiltProgram.path()).deletingLastPathComponent()
    return try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("make", package: "make"),
      arguments: [
        "-C", root.path, target, "PROGRAMS=\(programs.path)", "DESTDIR=\(folder.path("root"))",
        "PREFIX=/opt/strandline",
      ]
    ).run()
  }

  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path("root")).filter {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(
        atPath: folder.path("root/\($0)"), isDirectory: &isFolder)
      return !isFolder.boolValue
    }.sorted()
  }

  @Test func `what is installed is complete, works, and is gone when it is removed`()
    async throws
  {
    let installed = try await make("install-files")
    #expect(installed.code == 0, "\(installed.error)")
    #expect(
      try files() == [
        "opt/strandline/bin/strandline", "opt/strandline/bin/strandline-server",
        "opt/strandline/share/bash-completion/completions/strandline",
        "opt/strandline/share/fish/vendor_completions.d/strandline.fish",
        "opt/strandline/share/man/man1/strandline.1",
        "opt/strandline/share/zsh/site-functions/_strandline",
      ])
    let version = try await ChildProcess(
      folder: folder, executable: folder.path("root/opt/strandline/bin/strandline"),
      arguments: ["--version"]
    ).run()
    #expect(version.output.hasPrefix("strandline "))

    let removed = try await make("uninstall")
    #expect(removed.code == 0, "\(removed.error)")
    #expect(try files().isEmpty)
  }
}
