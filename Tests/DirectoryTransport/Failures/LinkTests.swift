import Foundation
import StrandlineDirectoryTransport
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Links, loops and special files inside the folder.
@Suite struct LinkTests {
  /// A phone with one segment in a folder, one of whose folders then is a link to the same outside.
  private func linked(
    _ level: Int
  ) async throws -> (folder: TestFolder, outside: TestFolder, phone: TestDevice) {
    let (folder, outside) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let place = file.split(separator: "/").prefix(level).joined(separator: "/")
    try folder.carryAll(to: outside)
    try folder.remove(place)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + place, withDestinationPath: outside.path + "/" + place)
    return (folder, outside, phone)
  }

  @Test(arguments: 1...5)
  func `nothing is read, written or removed through a link in the folder`(
    level: Int
  ) async throws {
    let (folder, outside, phone) = try await linked(level)
    let before = try outside.files().map { "\($0) \(try outside.read($0))" }
    var page = phone.page(["b"])
    page.group.sequence = 2

    let read = try await code {
      var laptop = try await TestDevice("laptop", 2, in: folder)
      #expect(try await laptop.fetch() == [])
    }
    let sent = try await code { _ = try await phone.transport.send(page) }
    _ = try await code { _ = try await phone.receipts() }
    _ = try await code {
      try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
    }

    #expect(sent != nil)
    // Where the link hides a zone's own folder there is no zone; a new one is not made in it.
    #expect(read == (level <= 2 ? .notAuthorized : nil))
    #expect(try outside.files().map { "\($0) \(try outside.read($0))" } == before)
  }

  @Test func `the folder itself may be reached through a link`() async throws {
    let (folder, place) = (try TestFolder(), try TestFolder())
    let link = place.path + "/link"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: folder.path)
    var phone = try await TestDevice("phone", 1, in: TestFolder(at: link))
    var laptop = try await TestDevice("laptop", 2, in: folder)

    try await phone.publish("a")

    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `a second name of a whole segment's file is as good as the first`() async throws {
    let (folder, other) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try folder.carryAll(to: other)
    let file = try #require(folder.segments().first)
    try other.remove(file)
    try #require(link(folder.path + "/" + file, other.path + "/" + file) == 0)
    var laptop = try await TestDevice("laptop", 2, in: other)

    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `a second name of any other file is not believed`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    try folder.remove(file)
    try folder.write(Array("secret".utf8), to: "diary.txt")
    try #require(link(folder.path + "/diary.txt", folder.path + "/" + file) == 0)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == [])
    #expect(laptop.waitingFor.count == 1)
    #expect(try folder.read("diary.txt") == Array("secret".utf8))
  }

  @Test func `a socket and a pipe with a segment's name are neither read nor waited at`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let path = folder.path + "/" + file
    let bytes = try folder.read(file)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("b")
    var laptop = try await TestDevice("laptop", 2, in: folder)

    try folder.remove(file)
    try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
    #expect(try await laptop.fetch() == ["b"])
    try folder.remove(file)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try await laptop.fetch() == [])
    try folder.remove(file)
    try folder.write(bytes, to: file)
    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `pipes with the names of markers and position files hold nothing up`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    let file = try #require(folder.files().first { $0.hasSuffix(".ack") })
    try folder.remove(file)
    try #require(mkfifo(folder.path + "/" + file, 0o600) == 0)

    #expect(try await phone.receipts().count == 0)
    // The owner puts its file there again.
    _ = try await laptop.receipts()
    #expect(try await phone.receipts().map(\.position) == [1])
  }

  @Test(.enabled(if: Mount.isPossible, "this process may not mount a disk"))
  func `a folder that holds itself is looked through to an end`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let loop = try await Mount.bound(to: folder.path)
    let place = "zones/notes/i1/w/\(phone.info.id)"
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + place + "/loop", withDestinationPath: folder.path)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/zones/loop", withDestinationPath: loop.folder)
    let survey = FolderSurvey(of: loop.folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(survey.look())
    #expect(!survey.look())
    #expect(survey.folders.keys.allSatisfy { !$0.contains("loop") })
    #expect(try await laptop.fetch() == ["a"])
    try await loop.end()
  }

  @Test func `a huge file with a segment's name is not read`() async throws {
    let folder = try TestFolder()
    let plan = FaultPlan()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await tablet.publish("b")
    let file = try #require(
      folder.segments().first { $0.contains("\(phone.info.id)") })
    try #require(truncate(folder.path + "/" + file, 10 << 30) == 0)
    var laptop = try await TestDevice("laptop", 2, in: folder, conditions: plan.conditions)

    #expect(try await laptop.fetch() == ["b"])
    #expect(
      laptop.waitingFor.map { $0.contains("larger than any that this version reads") } == [true])
    #expect(plan.asked(.read).filter { $0.hasSuffix(file) } == [])
  }
}
