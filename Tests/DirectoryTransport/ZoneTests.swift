import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ZoneTests {
  private func spaces(in folder: TestFolder) throws -> [String] {
    try folder.files().filter { $0.hasSuffix(".space.json") }
  }

  @Test func `a folder that is not there is not made`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    try FileManager.default.removeItem(atPath: folder.path)

    let error = try #require(
      await #expect(throws: TransportError.self) {
        _ = try await TestDevice("laptop", 2, in: folder)
      })
    let later = try await code { _ = try await phone.receipts() }

    #expect(error.code == .zoneNotFound)
    #expect(error.remedy == .ask)
    #expect(
      error.message == "Could not open the folder '\(folder.path)', it does not exist.")
    #expect(later == .zoneNotFound)
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  @Test func `a file in place of the folder is said`() async throws {
    let folder = try TestFolder()
    try FileManager.default.removeItem(atPath: folder.path)
    try Data().write(to: URL(fileURLWithPath: folder.path))

    let found = try await code { _ = try await TestDevice("phone", 1, in: folder) }

    #expect(found == .zoneNotFound)
  }

  @Test func `an emptied folder stops every call and nothing is made again`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try folder.remove("zones")
    var page = phone.page(["b"])
    page.group.sequence = 2

    var found = [try await code { try await phone.reopen() }]
    found.append(try await code { _ = try await phone.fetch() })
    found.append(try await code { _ = try await phone.transport.send(page) })
    found.append(try await code { _ = try await phone.receipts() })
    found.append(
      try await code {
        try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
      })

    #expect(found == Array(repeating: .zoneNotFound, count: 5))
    #expect(try folder.files() == ["README.txt"])
  }

  @Test func `another zone in the known one's place stops every call`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try folder.remove("zones")
    _ = try await TestDevice("stranger", 9, in: folder)

    var found = [try await code { try await phone.reopen() }]
    found.append(try await code { _ = try await phone.fetch() })
    found.append(try await code { _ = try await phone.transport.send(phone.page(["b"])) })

    #expect(found == Array(repeating: .zoneReplaced, count: 3))
    #expect(try folder.segments() == [])
  }

  @Test func `a space file that is still being copied is waited for`() async throws {
    let (source, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: source)
    try await phone.publish("a")
    let file = try #require(spaces(in: source).first)
    let bytes = try source.read(file)
    try carried.write(Array(bytes.prefix(20)), to: file)

    let torn = try await code { _ = try await TestDevice("laptop", 2, in: carried) }
    try carried.remove(file)
    try source.carry(try #require(source.segments().first), to: carried)
    let absent = try await code { _ = try await TestDevice("laptop", 2, in: carried) }
    #expect(try spaces(in: carried) == [])
    try source.carry(file, to: carried)
    var laptop = try await TestDevice("laptop", 2, in: carried)

    #expect([torn, absent] == [.unreachable, .unreachable])
    #expect(try await laptop.fetch() == ["a"])
  }

  @Test func `a newer format is not touched`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    let old = try #require(spaces(in: folder).first)
    let text = String(decoding: try folder.read(old), as: UTF8.self)
      .replacing("\"format\": 1", with: "\"format\": 2")
    let name = "zones/notes/\(phone.zone.rawValue).\(blake2b(text)).space.json"
    try folder.remove(old)
    try folder.write(Array(text.utf8), to: name)
    let before = try folder.files()

    let known = try await code { _ = try await phone.receipts() }
    let new = try await code { _ = try await TestDevice("laptop", 2, in: folder) }

    #expect([known, new] == [.incompatibleVersion, .incompatibleVersion])
    #expect(try folder.files() == before)
  }

  @Test func `another environment is refused`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)

    let found = try await code {
      _ = try await phone.transport.open(
        OpenRequest(
          device: phone.info, zoneName: "notes", environment: .production, expected: nil,
          schema: [:], proof: nil))
    }

    #expect(found == .environmentMismatch)
  }

  @Test(arguments: [
    ("notes", "notes"), ("Notes", "_4eotes"), ("a b", "a_20b"), ("..", "_2e_2e"), ("a.b", "a.b"),
    ("con", "_63on"), ("con.x", "_63on.x"), ("", "_"), ("a/b", "a_2fb"), ("é", "_c3_a9"),
    ("a_b", "a_5fb"), ("com1", "_63om1"), ("a.", "a_2e"), (".a", "_2ea"),
  ])
  func `each zone has a folder that every system can hold`(name: String, folderName: String)
    async throws
  {
    let folder = try TestFolder()
    _ = try await TestDevice("phone", 1, in: folder, zoneName: name)

    #expect(try spaces(in: folder).map { $0.split(separator: "/")[1] } == [Substring(folderName)])
  }

  @Test func `long zone names stay short and apart`() async throws {
    let folder = try TestFolder()
    let long = String(repeating: "long ", count: 50)
    let first = try await TestDevice("phone", 1, in: folder, zoneName: long + "1")
    let second = try await TestDevice("phone", 1, in: folder, zoneName: long + "2")

    #expect(first.zone != second.zone)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/zones")
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.utf8.count < 100 })
  }

  @Test func `zones in one folder do not see each other`() async throws {
    let folder = try TestFolder()
    var notes = try await TestDevice("phone", 1, in: folder, zoneName: "notes")
    var photos = try await TestDevice("laptop", 2, in: folder, zoneName: "photos")
    try await notes.publish("a")

    #expect(try await photos.fetch() == [])
  }

  @Test func `all names are short, lower case and without odd characters`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice(
      "phone", .max, in: folder, epoch: .max, limits: DirectoryLimits(partBytes: 1))
    phone.sequence = .max - 999
    phone.acknowledged = 0
    _ = try await phone.transport.send(phone.page((0..<999).map { "\($0)" }, token: .max))
    _ = try await phone.receipts()
    try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))

    for file in try folder.files() where file != "README.txt" {
      for name in file.split(separator: "/") {
        #expect(name.utf8.count < 100, "\(name)")
        #expect(name.wholeMatch(of: /[0-9a-z._-]+/) != nil, "\(name)")
      }
    }
  }
}

@Suite struct TwoFirstDevicesTests {
  @Test func `two zones made before their makers met become one`() async throws {
    let (here, there) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: here)
    var laptop = try await TestDevice("laptop", 2, in: there)
    try await phone.publish("a")
    try await laptop.publish("b")
    _ = try await phone.receipts()
    _ = try await laptop.receipts()
    try there.carryAll(to: here)
    try await laptop.reopen(in: here)
    try await phone.reopen()
    var tablet = try await TestDevice("tablet", 3, in: here)

    #expect(try await phone.fetch() == ["b"])
    #expect(try await laptop.fetch() == ["a"])
    #expect(try await tablet.fetch() == ["a", "b"])
    #expect(tablet.zone.rawValue == min(phone.zone.rawValue, laptop.zone.rawValue))
    // Once joined they stay one, however many follow.
    _ = try await tablet.receipts()
    var watch = try await TestDevice("watch", 4, in: here, expected: laptop.zone)
    _ = try await watch.receipts()
    #expect(try await watch.fetch() == ["a", "b"])
    _ = try await TestDevice("desk", 5, in: here)
  }

  @Test func `a zone with followers wins over one without`() async throws {
    let (here, there) = (try TestFolder(), try TestFolder())
    var followed: ZoneID?
    for (index, folder) in [here, there].enumerated() {
      let maker = try await TestDevice("maker", UInt64(index), in: folder)
      if index == 0 {
        followed = maker.zone
        let second = try await TestDevice("second", 7, in: folder)
        _ = try await second.receipts()
      }
    }
    try there.carryAll(to: here)

    let newcomer = try await TestDevice("tablet", 3, in: here)

    #expect(newcomer.zone == followed)
  }

  @Test func `two zones that several devices use are not mixed`() async throws {
    let (here, there) = (try TestFolder(), try TestFolder())
    for (index, folder) in [here, there].enumerated() {
      for number in 0..<2 {
        let device = try await TestDevice("d", UInt64(index * 2 + number), in: folder)
        _ = try await device.receipts()
      }
    }
    let member = try await TestDevice("d", 0, in: here)
    try there.carryAll(to: here)

    let known = try await code { _ = try await member.receipts() }
    let new = try await code { _ = try await TestDevice("tablet", 9, in: here) }

    #expect([known, new] == [.zoneReplaced, .zoneReplaced])
    #expect(try here.files().filter { $0.hasSuffix(".join.json") } == [])
  }
}
