import Foundation
import StrandlineModels
import StrandlineTestSupport
import StrandlineTesting
import Testing

/// The copier carries what a sync tool would, and ends with equal copies whatever went wrong.
@Suite struct FolderCopierTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A copier over the copies `a`, `b` and so on.
  private func copier(
    _ controls: CopyControls = .orderly, copies: Int = 2, seed: UInt64 = 1
  ) async throws -> FolderCopier {
    let copier = FolderCopier(seed: seed, controls: controls)
    for name in ["a", "b", "c"].prefix(copies) { try await copier.add(folder.path(name)) }
    return copier
  }

  /// All files of a copy but the tool's own.
  private func contents(_ copy: String) throws -> [String: String] {
    var found: [String: String] = [:]
    let root = folder.path(copy)
    for path in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? []
    where !path.hasPrefix(".st") {
      var status = stat()
      if lstat(root + "/" + path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        found[path] = try folder.read("\(copy)/\(path)")
      }
    }
    return found
  }

  private func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: folder.path(path))
  }

  @Test func `additions, changes and deletions reach the other copies`() async throws {
    let copier = try await copier(copies: 3)
    try folder.write("one", to: "a/x/one.txt")
    try folder.write("two", to: "b/two.txt")
    try await copier.carryEverything()
    #expect(try contents("c") == ["x/one.txt": "one", "two.txt": "two"])

    try folder.write("changed", to: "c/two.txt")
    try remove("b/x/one.txt")
    let carried = try await copier.carryEverything()

    #expect(try contents("a") == ["two.txt": "changed"])
    #expect(try contents("b") == contents("a"))
    #expect(Set(carried) == ["two.txt", "x/one.txt"])
    #expect(try await copier.carryEverything().isEmpty)
  }

  @Test func `copies end equal whatever went wrong on the way`() async throws {
    let copier = try await copier(.faulty, copies: 3)
    var random = SeededGenerator(seed: 7)
    for number in 0..<300 {
      let copy = ["a", "b", "c"][Int(random.next() % 3)]
      let path = "\(copy)/\(random.next() % 9)/\(random.next() % 2).txt"
      if number % 3 == 0, FileManager.default.fileExists(atPath: folder.path(path)) {
        try remove(path)
      } else {
        try folder.write(String(repeating: "text \(number) ", count: 9), to: path)
      }
      try await copier.step()
    }
    try await copier.carryEverything()

    let counts = await copier.counts
    #expect(counts.missingFaults.isEmpty)
    #expect(counts.collisions > 0 && counts.outOfOrder > 0 && counts.mended > 0)
    #expect(counts.deletedBeforeAddition > 0 && counts.deletedAfterAddition > 0)
    let contents = try contents("a")
    #expect(!contents.isEmpty)
    #expect(try self.contents("b") == contents)
    #expect(try self.contents("c") == contents)
  }

  @Test func `what a prefix shows is a beginning of the file, until it is whole`() async throws {
    let copier = try await copier(CopyControls(rates: [.prefix: 1], filesPerStep: 4))
    let text = String(repeating: "0123456789", count: 50)
    try folder.write(text, to: "a/file.txt")
    var lengths: Set<Int> = []
    for _ in 0..<200 {
      try await copier.step()
      guard let found = try contents("b")["file.txt"] else { continue }
      #expect(text.hasPrefix(found))
      lengths.insert(found.count)
    }

    #expect(lengths.count > 1)
    #expect(try contents("b")["file.txt"] == text)
    #expect(await copier.counts.mended == 1)
  }

  @Test func `a half file is not carried on as a change`() async throws {
    let copier = try await copier(
      CopyControls(rates: [.truncation: 1, .delay: 0], filesPerStep: 4), copies: 3)
    try folder.write("a text of some length", to: "a/file.txt")
    for _ in 0..<40 { try await copier.step() }
    try await copier.carryEverything()

    for copy in ["a", "b", "c"] {
      #expect(try contents(copy) == ["file.txt": "a text of some length"])
    }
  }

  @Test func `two changes at once leave a conflict copy, and a change beats a deletion`()
    async throws
  {
    let copier = try await copier()
    try folder.write("start", to: "a/notes.txt")
    try folder.write("start", to: "a/other.txt")
    try await copier.carryEverything()
    try folder.write("from a", to: "a/notes.txt")
    try folder.write("from b, longer", to: "b/notes.txt")
    try folder.write("kept", to: "a/other.txt")
    try remove("b/other.txt")
    try await copier.carryEverything()

    let contents = try contents("a")
    #expect(try self.contents("b") == contents)
    #expect(contents["other.txt"] == "kept")
    #expect(Set(contents.values) == ["from a", "from b, longer", "kept"])
    #expect(contents.keys.contains { $0.hasPrefix("notes.sync-conflict-") })
    #expect(await copier.counts.collisions == 1)
  }

  @Test func `a copy that is cut off is left alone, and a lost one takes its own with it`()
    async throws
  {
    let copier = try await copier(copies: 3)
    await copier.setOnline(false, copy: 1)
    try folder.write("one", to: "a/one.txt")
    try folder.write("never seen", to: "b/two.txt")
    try await copier.carryEverything()
    #expect(try contents("b") == ["two.txt": "never seen"])
    #expect(try contents("c") == ["one.txt": "one"])

    await copier.remove(1)
    try await copier.carryEverything()
    #expect(try contents("c") == ["one.txt": "one"])
  }

  @Test func `a copy that is put back lacks what came later, and gets it again`() async throws {
    let copier = try await copier()
    try folder.write("one", to: "a/one.txt")
    try await copier.carryEverything()
    let snapshot = try await copier.snapshot(of: 1)
    try folder.write("changed", to: "a/one.txt")
    try folder.write("own", to: "b/two.txt")
    try await copier.carryEverything()
    try await copier.restore(snapshot, to: 1)
    #expect(try contents("b") == ["one.txt": "one"])

    try await copier.carryEverything()
    #expect(try contents("b") == ["one.txt": "changed", "two.txt": "own"])
    #expect(await copier.counts.putBack == 1)
  }

  @Test func `the same seed does the same`() async throws {
    var found: [CopyCounts] = []
    for round in 1...2 {
      let copier = FolderCopier(seed: 99, controls: .faulty)
      for name in ["a", "b"] { try await copier.add(folder.path("\(round)/\(name)")) }
      for number in 0..<60 {
        try folder.write("text \(number)", to: "\(round)/a/\(number % 7).txt")
        try await copier.step()
      }
      found.append(await copier.counts)
    }

    #expect(found[0] == found[1])
    #expect(found[0].carried > 0)
  }
}
