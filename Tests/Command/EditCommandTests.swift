import Foundation
import StrandlineTestSupport
import Testing

/// What an editor may do to a record that it was given as JSON.
struct EditCommandTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  /// Edits the one tag with a shell command as the editor.
  private func edit(_ editor: String) async throws -> Outcome {
    let id =
      try await device.succeed("sql", "SELECT lower(hex(id)) AS id FROM Tag")
      .split(separator: "\n").last.map(String.init) ?? ""
    return try await ChildProcess(
      folder: folder, executable: "/usr/bin/env",
      arguments: ["EDITOR=\(editor)", "TMPDIR=\(folder.url.path)", try BuiltProgram.path()]
        + device.options + ["edit", id]
    ).run()
  }

  /// The files with edited text that were left.
  private func kept() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasPrefix("strandline-") && $0.hasSuffix(".json") }
  }

  @Test func `only what became another value is saved`() async throws {
    try await device.succeed("save", "Tag", "name=old")
    let changed = try await edit("sed -i s/old/new/")
    let same = try await edit("true")

    #expect(changed.code == 0, "\(changed.error)")
    #expect(changed.error.contains("Changed: name."), "\(changed.error)")
    #expect(same.error.contains("Nothing was changed"), "\(same.error)")
    #expect(try await device.shell("SELECT name FROM Tag") == "'new'")
    #expect(try await device.run(["--json", "history"]).objects().count == 2)
    #expect(try kept().isEmpty)
  }

  @Test(arguments: [
    ("false", "ended with 1"), ("sed -i s/{//", "Could not read the edited text"),
    ("sed -i s/name/nme/", "Did you mean name?"), ("sed -i 's/\"old\"/7/'", "it is no text"),
    ("no-such-editor-here", "ended with 127"),
  ])
  func `text that cannot be used is kept, and the record as it was`(
    editor: String, reason: String
  ) async throws {
    try await device.succeed("save", "Tag", "name=old")
    let outcome = try await edit(editor)

    #expect(outcome.code == 1, "\(outcome.error)")
    #expect(outcome.error.contains(reason), "\(outcome.error)")
    let file = try #require(try kept().first)
    #expect(outcome.error.contains(file), "\(outcome.error)")
    #expect(try await device.shell("SELECT name FROM Tag") == "'old'")
  }

  @Test func `without an editor a script is told to name one`() async throws {
    try await device.succeed("save", "Tag", "name=old")
    let outcome = try await edit("")

    #expect(outcome.code == 1)
    #expect(outcome.error.contains("Set the variable EDITOR."), "\(outcome.error)")
  }
}
