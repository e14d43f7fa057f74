import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Content that no writer of this version makes: nothing crashes or hangs, the others go on.
@Suite struct BadInputTests {
  private struct Scene {
    let folder: TestFolder
    let file: String
    let bytes: [UInt8]
    var laptop: TestDevice
  }

  /// A phone's one segment beside a whole one of the tablet, which the laptop has read.
  private func scene() async throws -> Scene {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("milk")
    let file = try #require(folder.segments().first)
    let bytes = try folder.read(file)
    try folder.remove(file)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("from tablet")
    var laptop = try await TestDevice("laptop", 2, in: folder)
    #expect(try await laptop.fetch() == ["from tablet"])
    return Scene(folder: folder, file: file, bytes: bytes, laptop: laptop)
  }

  /// Puts a segment there whose hashes are right and whose content was changed, and reads it.
  private func expectRefused(
    _ scene: inout Scene, _ what: String, _ change: (inout [UInt8]) -> Void
  ) async throws {
    let forged = scene.file.reforged(scene.bytes, change)
    guard forged.bytes != scene.bytes else { return }
    try scene.folder.write(forged.bytes, to: forged.file)
    let came = try await scene.laptop.fetch()
    if came.isEmpty {
      #expect(scene.laptop.waitingFor.count == 1, "\(what)")
    }
    #expect(try scene.folder.read(forged.file) == forged.bytes, "\(what)")
    try scene.folder.remove(forged.file)
    // What a hostile writer has made the reader take is forgotten for the next attempt.
    if !came.isEmpty { scene.laptop.cursor = nil }
    if !came.isEmpty { #expect(try await scene.laptop.fetch() == ["from tablet"], "\(what)") }
  }

  /// The heads of items that claim to be longer than anything can be.
  static let hostileHeads: [[UInt8]] = [
    [0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x7b, 0x7f, 0xff, 0xff, 0xff],
    [0x9b, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff], [0xbb, 0xff, 0xff, 0xff, 0xff],
    [0x9a, 0xff, 0xff, 0xff, 0xff], [0x5f], [0x9f], [0xbf], [0xff], [0xf9, 0x7e, 0x00],
    [0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
    [0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
  ]

  @Test(.timeLimit(.minutes(10)), arguments: hostileHeads)
  func `a hostile length at any byte is refused and costs nothing`(
    head: [UInt8]
  ) async throws {
    var scene = try await scene()
    let content = 16..<scene.bytes.count - 16
    for start in content {
      try await expectRefused(&scene, "byte \(start)") { bytes in
        for (offset, byte) in head.enumerated() where start + offset < content.upperBound {
          bytes[start + offset] = byte
        }
      }
    }
  }

  @Test(arguments: [0x81, 0xa1, 0xc1, 0x9f] as [UInt8])
  func `endless nesting is refused`(head: UInt8) async throws {
    var scene = try await scene()
    try await expectRefused(&scene, "nesting") { bytes in
      bytes = bytes[..<16] + [UInt8](repeating: head, count: 1 << 20)
    }
  }

  @Test func `a frame that claims another length is refused`() async throws {
    var scene = try await scene()
    for index in 8..<16 {
      try await expectRefused(&scene, "byte \(index)") { $0[index] = 0xff }
    }
  }

  @Test func `a space file with a changed bit anywhere stops the zone and removes nothing`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.files().first { $0.hasSuffix(".space.json") })
    let bytes = try folder.read(file)
    let files = try folder.files()
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      try folder.write(changed, to: file)

      let known = try await code { _ = try await phone.fetch() }
      let new = try await code { _ = try await TestDevice("laptop", 2, in: folder) }
      #expect([known, new] == [.unreachable, .unreachable], "byte \(index)")
    }
    #expect(try folder.files() == files)
    try folder.write(bytes, to: file)
    try await phone.publish("b")
  }

  @Test func `a position file with a changed bit anywhere says nothing and stops nobody`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    let file = try #require(folder.files().first { $0.hasSuffix(".ack") })
    let bytes = try folder.read(file)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 1 << UInt8(index % 8)
      try folder.write(changed, to: file)

      #expect(try await phone.receipts() == [], "byte \(index)")
      #expect(try await phone.fetch() == [], "byte \(index)")
      #expect(phone.waitingFor == [], "byte \(index)")
    }
  }

  @Test func `one folder full of bad writers is named writer by writer`() async throws {
    let folder = try TestFolder()
    var good = try await TestDevice("good", 100, in: folder)
    try await good.publish("first")
    var paths: [String: [UInt8]] = [:]
    for number in UInt64(1)...7 {
      var writer = try await TestDevice("bad \(number)", number, in: folder)
      try await writer.publish("text \(number)")
      let file = try #require(folder.segments().first { $0.contains("\(writer.info.id)") })
      paths[file] = try folder.read(file)
    }
    let files = paths.keys.sorted()
    func path(_ index: Int) -> String { folder.path + "/" + files[index] }
    try folder.write([], to: files[0])
    try folder.write(Array((paths[files[1]] ?? []).prefix(40)), to: files[1])
    var bytes = paths[files[2]] ?? []
    bytes[30] ^= 1
    try folder.write(bytes, to: files[2])
    try folder.write([UInt8](repeating: 0, count: bytes.count), to: files[3])
    try #require(truncate(path(4), 10 << 30) == 0)
    try folder.remove(files[5])
    try #require(mkfifo(path(5), 0o600) == 0)
    try folder.remove(files[6])
    try FileManager.default.createSymbolicLink(
      atPath: path(6), withDestinationPath: "/etc/hostname")
    try await good.publish("second")
    let before = try folder.files()
    var laptop = try await TestDevice("laptop", 200, in: folder)

    #expect(try await laptop.fetch() == ["first", "second"])
    // The pipe and the link are nobody's segments; the other five are waited for.
    #expect(laptop.waitingFor.count == 5)
    for (index, reason) in [
      "has not arrived whole", "has not arrived whole", "is damaged", "has not arrived whole",
      "larger than any",
    ].enumerated() {
      let name = files[index].split(separator: "/").last ?? ""
      #expect(laptop.waitingFor.contains { $0.contains(name) && $0.contains(reason) }, "\(index)")
    }
    try await laptop.publish("third")
    #expect(try await good.fetch() == ["third"])
    #expect(Set(try folder.files()).isSuperset(of: before))
    for (file, bytes) in paths {
      if access(folder.path + "/" + file, F_OK) == 0 { try folder.remove(file) }
      unlink(folder.path + "/" + file)
      try folder.write(bytes, to: file)
    }
    #expect(try await laptop.fetch().count == 7)
    #expect(laptop.waitingFor == [])
  }
}
