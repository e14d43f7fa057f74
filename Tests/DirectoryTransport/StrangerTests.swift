import Foundation
import StrandlineDirectoryTransport
import StrandlineTransport
import Testing

@Suite struct StrangerTests {
  @Test func `files that are nobody's segments are passed over and left alone`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let bytes = try folder.read(file)
    let place = file.split(separator: "/").dropLast().joined(separator: "/")
    let zone = place.split(separator: "/").prefix(2).joined(separator: "/")
    let stem = file.dropLast(4)
    var strangers = [
      "\(stem).sync-conflict-20250101-101010-ABCDEFG.seg", "\(stem) (1).seg",
      "\(stem) (conflicted copy).seg", "\(stem).SEG", "\(file).tmp", "\(file)~",
      "\(place)/.syncthing.x.seg.tmp", "\(place)/.nfs000000000001", "\(place)/desktop.ini",
      "\(place)/.hidden.seg", "\(place)/Thumbs.db", "\(place)/notes.txt",
      "\(place)/../not-a-writer/x.seg", "\(zone)/holiday.json", "holiday.jpg",
    ].map { URL(fileURLWithPath: "/" + $0).standardized.path.dropFirst() }.map(String.init)
    strangers.append(file.uppercased())
    for stranger in strangers { try folder.write(bytes, to: stranger) }

    #expect(try await laptop.fetch() == ["a"])
    #expect(laptop.waitingFor == [])
    try await phone.publish("b")
    #expect(try await laptop.fetch() == ["b"])
    try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
    let left = Set(try folder.files())
    #expect(left.isSuperset(of: strangers))
    #expect(try folder.segments().allSatisfy(strangers.contains))
  }

  @Test func `links, pipes and folders with a segment's name are not read`() async throws {
    let (folder, outside) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    try folder.carry(file, to: outside)
    try folder.remove(file)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    let path = folder.path + "/" + file

    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: outside.path + "/" + file)
    #expect(try await laptop.fetch() == [])
    try folder.remove(file)
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try await laptop.fetch() == [])
    try folder.remove(file)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(try await laptop.fetch() == [])
    try folder.remove(file)
    try outside.carry(file, to: folder)
    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `a writer's folder that is a link is not read`() async throws {
    let (folder, outside) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let place = file.split(separator: "/").dropLast().joined(separator: "/")
    try folder.carry(file, to: outside)
    try folder.remove(place)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/" + place, withDestinationPath: outside.path + "/" + place)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == [])
  }

  @Test func `a file larger than any that is written is not read`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    var laptop = try await TestDevice(
      "laptop", 2, in: folder, limits: DirectoryLimits(fileBytes: 50))

    #expect(try await laptop.fetch() == [])
    #expect(laptop.waitingFor.map { $0.contains("larger than any") } == [true])
  }
}
