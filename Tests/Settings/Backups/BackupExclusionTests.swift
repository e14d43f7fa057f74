import Foundation
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTestSupport
import Testing

#if os(Linux)
  /// The marks by which backup programs leave a store out, and what real ones do with them.
  struct BackupExclusionTests {
    private let folder: TemporaryFolder
    private let exclusion: BackupExclusion

    init() throws {
      folder = try TemporaryFolder()
      try folder.makeFolder("data/notes")
      try folder.write("a stranger's", to: "data/letter.txt")
      exclusion = BackupExclusion(storeAt: folder.path("data/notes/notes.sqlite"))
    }

    private var files: [String] { ["", "-wal", "-shm"].map { "notes/notes.sqlite" + $0 } }

    private func open(_ name: String = "notes/notes.sqlite") async throws -> Store {
      let store = try await Store.open(
        .file(folder.path("data/\(name)")), schema: try SampleSchema.todo())
      try await store.write { try $0.insert("TodoItem", values: ["name": .text("milk")]) }
      return store
    }

    private func run(_ program: String, package: String, _ words: [String]) async throws -> String {
      let outcome = try await ChildProcess(
        folder: folder, executable: try BuiltProgram.tool(program, package: package),
        arguments: words
      ).run()
      #expect(outcome.code == 0, "\(words): \(outcome.error)")
      return outcome.output
    }

    /// What a backup of the data has, of what was asked about.
    private func borg(_ name: String) async throws -> Set<String> {
      let repository = folder.path("borg")
      if try folder.names(in: "borg").isEmpty {
        _ = try await run("borg", package: "borgbackup", ["init", "-e", "none", repository])
      }
      _ = try await run(
        "borg", package: "borgbackup",
        ["create", "--exclude-nodump", "\(repository)::\(name)", folder.path("data")])
      let list = try await run(
        "borg", package: "borgbackup", ["list", "--short", "\(repository)::\(name)"])
      return found(in: list)
    }

    private func restic() async throws -> Set<String> {
      let repository = folder.path("restic")
      try folder.write("secret", to: "password")
      let options = ["-r", repository, "--password-file", folder.path("password"), "-q"]
      if try folder.names(in: "restic").isEmpty {
        _ = try await run("restic", package: "restic", options + ["init"])
      }
      _ = try await run(
        "restic", package: "restic",
        options + ["backup", "--exclude-caches", folder.path("data")])
      return found(
        in: try await run("restic", package: "restic", options + ["ls", "latest"]))
    }

    private func found(in list: String) -> Set<String> {
      let lines = list.split(separator: "\n").map(String.init)
      return Set((files + ["letter.txt"]).filter { name in lines.contains { $0.hasSuffix(name) } })
    }

    @Test func `real backups leave all three files out while excluded, and have them again`()
      async throws
    {
      let store = try await open()
      let all = Set(files + ["letter.txt"])

      #expect(await exclusion.set(excluded: true) == BackupState(.folder))
      #expect(try await borg("off") == ["letter.txt"])
      #expect(try await restic() == ["letter.txt"])
      #expect(await exclusion.set(excluded: false) == BackupState(.included))
      #expect(try await borg("on") == all)
      #expect(try await restic() == all)
      withExtendedLifetime(store) {}
    }

    @Test func `in a folder that others use the files alone are marked`() async throws {
      let store = try await open("shared.sqlite")
      let shared = BackupExclusion(storeAt: store.path)

      #expect(await shared.set(excluded: true) == BackupState(.files))
      #expect(try folder.names(in: "data").contains("CACHEDIR.TAG") == false)
      let list = try await borg("shared")
      #expect(list.contains("letter.txt"))
      let names = try await run(
        "borg", package: "borgbackup", ["list", "--short", "\(folder.path("borg"))::shared"])
      #expect(!names.contains("shared.sqlite\n"), "\(names)")
      #expect(!names.contains("shared.sqlite-wal"), "\(names)")
      withExtendedLifetime(store) {}
    }

    @Test func `files that SQLite makes anew are marked, too`() async throws {
      var store: Store? = try await open()
      _ = await exclusion.set(excluded: true)
      store?.close()
      store = nil
      let again = try await open()

      #expect(exclusion.state() == BackupState(.folder))
      withExtendedLifetime(again) {}
    }

    @Test func `marking leaves the locks of the open store alone`() async throws {
      let store = try await open()
      _ = await exclusion.set(excluded: true)
      _ = await exclusion.set(excluded: false)

      // Whoever closes the store last takes its log away; with the locks gone this would be it.
      _ = try await run(
        "sqlite3", package: "sqlite3", [store.path, "SELECT count(*) FROM TodoItem"])

      #expect(try folder.names(in: "data/notes").contains("notes.sqlite-wal"))
    }

    @Test func `a tag that somebody else made stays`() async throws {
      let store = try await open()
      try folder.write("Signature: of somebody", to: "data/notes/CACHEDIR.TAG")

      _ = await exclusion.set(excluded: true)
      _ = await exclusion.set(excluded: false)

      #expect(try folder.read("data/notes/CACHEDIR.TAG") == "Signature: of somebody")
      withExtendedLifetime(store) {}
    }

    @Test func `a stranger's file that comes later ends the mark of the folder`() async throws {
      let store = try await open()
      _ = await exclusion.set(excluded: true)
      try folder.write("a stranger's", to: "data/notes/letter.txt")

      #expect(await exclusion.set(excluded: true) == BackupState(.files))
      #expect(try !folder.names(in: "data/notes").contains("CACHEDIR.TAG"))
      withExtendedLifetime(store) {}
    }
  }
#endif
