import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Copies that sync tools make of the transport's files.
@Suite struct CopyTests {
  /// A segment's path under the names that tools and people give to copies of it.
  static let renamings: [@Sendable (String) -> String] = [
    { $0.replacing(".seg", with: ".sync-conflict-20250101-101010-ABCDEFG.seg") },
    { $0.replacing(".seg", with: " (conflicted copy 2025-01-01).seg") },
    { $0.replacing(".seg", with: " (Ada's conflicted copy).seg") },
    { $0.replacing(".seg", with: " (1).seg") },
    { $0.replacing(".seg", with: "-LAPTOP.seg") },
    { $0.replacing(".seg", with: ".SEG") },
    { $0 + ".bak" },
    { $0.replacing(".seg", with: "_conflict-20250101-101010.seg") },
    { path in
      let name = path.split(separator: "/").last ?? ""
      return path.replacing(name, with: "Copy of \(name)")
    },
    { path in
      path.split(separator: "/").dropLast().joined(separator: "/") + "/renamed by hand.seg"
    },
  ]

  @Test(arguments: renamings)
  func `a segment that is there only as a copy is read from it`(
    renaming: @Sendable (String) -> String
  ) async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    let file = try folder.segments()[0]
    try folder.write(folder.read(file), to: renaming(file))
    try folder.remove(file)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == ["a", "b"])
    #expect(laptop.waitingFor == [])
    #expect(
      laptop.notices == ["1 file is there only as a copy that a sync tool made; it is read."])
  }

  @Test(arguments: renamings)
  func `a copy beside its file is counted and not read`(
    renaming: @Sendable (String) -> String
  ) async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    try folder.write(folder.read(file), to: renaming(file))
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)

    #expect(try await laptop.fetch() == ["a"])
    #expect(laptop.notices == ["1 copy made by a sync tool is ignored in the folder."])
    #expect(try folder.files().contains(renaming(file)))
  }

  @Test func `a copy that is whole stands in for a file that is damaged`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    let file = try folder.segments()[0]
    let bytes = try folder.read(file)
    try folder.write(bytes.dropLast(9) + [UInt8](repeating: 0, count: 9), to: file)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    #expect(try await laptop.fetch() == [])

    try folder.write(bytes, to: file.replacing(".seg", with: " (1).seg"))

    #expect(try await laptop.fetch() == ["a", "b"])
  }

  @Test func `a copy that does not verify is only counted`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let bytes = try folder.read(file)
    try folder.remove(file)
    let place = file.split(separator: "/").dropLast().joined(separator: "/")
    let bad = ["\(place)/x.seg", file.replacing(".seg", with: " (1).seg")]
    var laptop = try await TestDevice("laptop", 2, in: folder)
    for index in stride(from: 0, to: bytes.count, by: 3) {
      var changed = bytes
      changed[index] ^= 4
      for name in bad { try folder.write(changed, to: name) }

      #expect(try await laptop.fetch() == [], "byte \(index)")
      #expect(
        laptop.notices == ["2 copies made by a sync tool are ignored in the folder."],
        "byte \(index)")
    }
    // The same copy is read when it has become whole.
    try folder.write(bytes, to: bad[1])
    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `a copy of another writer's file is not read in this writer's folder`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let other = DeviceID(device: 9, epoch: 9)
    let moved = file.replacing("\(phone.info.id)", with: "\(other)")
      .replacing(".seg", with: " (1).seg")
    try folder.write(folder.read(file), to: moved)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == ["a"])
    #expect(laptop.notices == ["1 copy made by a sync tool is ignored in the folder."])
  }

  @Test func `copies are looked into once as long as they stay as they are`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let place = file.split(separator: "/").dropLast().joined(separator: "/")
    try folder.write([1, 2, 3], to: place + "/holiday.seg")
    try folder.write(folder.read(file), to: place + "/other.seg")
    try folder.remove(file)
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)
    #expect(try await laptop.fetch() == ["a"])
    _ = plan.asked(.open)

    #expect(try await laptop.fetch() == [])

    #expect(plan.asked(.open).filter { $0.hasSuffix(".seg") } == [])
  }

  @Test(arguments: [EIO, EDEADLK, EACCES])
  func `a copy that cannot be read now is read later`(number: Int32) async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    let files = try folder.segments()
    let place = files[0].split(separator: "/").dropLast().joined(separator: "/")
    let copies = [files[0].replacing(".seg", with: " (1).seg"), place + "/renamed.seg"]
    for (file, copy) in zip(files, copies) {
      try folder.write(folder.read(file), to: copy)
      try folder.remove(file)
    }
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)
    plan.fail(.read, ".seg", with: number)
    #expect(try await laptop.fetch() == [])
    plan.heal()

    #expect(try await laptop.fetch() == ["a", "b"])
  }

  @Test func `copies of markers and position files are counted, too`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    _ = try await phone.receipts()
    for file in try folder.files() where file != "README.txt" {
      let end = try #require(file.split(separator: ".").last)
      let copy = file.dropLast(end.utf8.count) + "sync-conflict-20250101-101010-ABC.\(end)"
      try folder.write(folder.read(file), to: String(copy))
    }

    _ = try await laptop.fetch()

    #expect(laptop.notices == ["2 copies made by a sync tool are ignored in the folder."])
    #expect(try await laptop.receipts().count == 1)
  }

  @Test func `a space file that is there only as a copy names the zone`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.files().first { $0.hasSuffix(".space.json") })
    let copy = file.replacing(".json", with: ".sync-conflict-20250101-101010-ABCDEFG.json")
    try folder.write(folder.read(file), to: copy)
    try folder.remove(file)

    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(laptop.zone == phone.zone)
    #expect(try await laptop.fetch() == ["a"])
    // A copy that is not whole is no marker, and stops nobody who has the real one.
    try folder.write(folder.read(copy), to: file)
    try folder.write([0, 0, 0], to: copy)
    #expect(try await laptop.fetch() == [])
  }
}
