import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// The world's subdivisions as Debian ships them: thousands of real names in many scripts.
struct SubdivisionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func device(_ name: String, _ transport: String) -> CommandDevice {
    CommandDevice(name, in: folder, transport: transport, model: Subdivisions.model)
  }

  private static let importing = "Subdivision --map code=id parent=parentCode"

  @Test func `all subdivisions travel between two devices of one process`() async throws {
    let file = try Subdivisions()
    let device = device("first", "memory")
    let script = """
      import '\(Subdivisions.path)' \(Self.importing)
      sync
      device second
      sync
      set IS-1 name='Höfuðborgarsvæðið ✎'
      delete AD-02 AD-03
      sync
      device first
      set JP-13 name='東京都'
      sync
      device second
      sync
      """
    try await device.succeed("--yes", "-f", "-", input: script)

    let first = try await device.rows(of: ["Subdivision"])
    #expect(first == file.dump(renamed: Self.names, without: ["AD-02", "AD-03"]))
    let second = folder.path("first/second/store.sqlite")
    #expect(try await ChildProcess.dump(second, in: folder) == first)
  }

  private static let names = ["IS-1": "Höfuðborgarsvæðið ✎", "JP-13": "東京都"]

  @Test func `all subdivisions travel between two processes through a folder`() async throws {
    let file = try Subdivisions()
    try folder.makeFolder("shared")
    let transport = "directory:" + folder.path("shared")
    let (phone, laptop) = (device("phone", transport), device("laptop", transport))
    let saved = try await phone.object(
      "import", Subdivisions.path, "Subdivision", "--map", "code=id", "--map", "parent=parentCode")
    #expect(saved["import"]?["inserted"]?.integer == Int64(Subdivisions.count))
    #expect(try await phone.object("sync")["sync"]?["exported"]?.integer == 5127)
    #expect(try await laptop.object("sync")["sync"]?["imported"]?.integer == 5127)
    #expect(try await laptop.rows(of: ["Subdivision"]) == file.dump())

    try await laptop.succeed("set", "IS-1", "name=Höfuðborgarsvæðið ✎")
    try await phone.succeed("set", "JP-13", "name=東京都")
    try await laptop.succeed("delete", "--yes", "AD-02", "AD-03")
    for device in [phone, laptop, phone] { try await device.succeed("sync") }

    let expected = file.dump(renamed: Self.names, without: ["AD-02", "AD-03"])
    #expect(try await phone.rows(of: ["Subdivision"]) == expected)
    #expect(try await laptop.rows(of: ["Subdivision"]) == expected)
    #expect(try await phone.succeed("count", "Subdivision") == "5125")
  }

  @Test func `importing the same file again changes nothing`() async throws {
    let device = device("phone", "none")
    let words = ["import", Subdivisions.path, "Subdivision", "--map", "code=id"]
    _ = try Subdivisions()
    _ = try await device.run(words + ["parent=parentCode"])
    let again = try await device.run(["--json"] + words + ["parent=parentCode"]).objects()

    #expect(again.first?["import"]?["inserted"]?.integer == 0)
    #expect(again.first?["import"]?["updated"]?.integer == 0)
    #expect(try await device.run(["--json", "history"]).objects().count == 1)
  }

  @Test func `a trial import counts the rows and saves none`() async throws {
    let device = device("phone", "none")
    let trial = try await device.object(
      "import", Subdivisions.path, "Subdivision", "--map", "code=id", "--map", "parent=parentCode",
      "--dry-run")

    #expect(trial["import"]?["rows"]?.integer == 5127)
    #expect(try await device.succeed("count", "Subdivision") == "0")
  }
}

extension ChildProcess {
  /// The subdivisions of a store as the sqlite3 shell shows them.
  static func dump(_ store: String, in folder: TemporaryFolder) async throws -> String {
    try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("sqlite3", package: "sqlite3"),
      arguments: [
        "-cmd", ".mode quote", store, "SELECT 'Subdivision', * FROM Subdivision ORDER BY id",
      ]
    ).run().output.trimmingCharacters(in: .newlines)
  }
}
