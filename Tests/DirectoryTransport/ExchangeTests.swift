import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ExchangeTests {
  @Test func `three devices see what the others publish`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    var tablet = try await TestDevice("tablet", 3, in: folder)

    try await phone.publish("milk", "bread")
    #expect(try await laptop.fetch() == ["milk", "bread"])
    try await laptop.publish("eggs")
    try await phone.publish("salt")

    #expect(try await tablet.fetch() == ["milk", "bread", "salt", "eggs"])
    #expect(try await phone.fetch() == ["eggs"])
    #expect(try await laptop.fetch() == ["salt"])
    #expect(try await phone.fetch() == [])
    #expect(phone.waitingFor == [])
  }

  @Test func `only the first device makes the zone`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    let laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(phone.opened.wasCreated)
    #expect(!laptop.opened.wasCreated)
    #expect(phone.zone == laptop.zone)
    #expect(try folder.files().contains("README.txt"))
  }

  @Test func `a page holds whole groups and the next one goes on`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a", "b", "c")
    try await phone.publish("d")

    let first = try await laptop.transport.fetch(
      FetchRequest(
        device: laptop.info, zone: laptop.zone, proof: laptop.proof, cursor: nil, limit: 2))

    #expect(first.changes.count == 3)
    #expect(!first.headReached)
    #expect(try await laptop.fetch(limit: 1) == ["a", "b", "c", "d"])
  }

  @Test func `nothing of a group shows before its last page`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    phone.sequence = 2
    var first = phone.page(["a", "b"])
    var second = first
    (first.isLast, first.deltas) = (false, [first.deltas[0]])
    (second.page, second.deltas) = (1, [second.deltas[1]])

    #expect(try await phone.transport.send(first) == SendAnswer())
    #expect(try await laptop.fetch() == [])
    // The answer was lost, so the page comes again.
    #expect(try await phone.transport.send(first) == SendAnswer())
    let answer = try await phone.transport.send(second)

    #expect(answer.acceptance?.sequence == 2)
    #expect(try await laptop.fetch() == ["a", "b"])
  }

  @Test func `a new group drops one that was not ended`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    phone.sequence = 1
    var dropped = phone.page(["dropped"], token: 7)
    dropped.isLast = false
    _ = try await phone.transport.send(dropped)
    _ = try await phone.transport.send(phone.page(["kept"], token: 8))

    #expect(try await laptop.fetch() == ["kept"])
  }

  @Test func `a group with a wrong count is refused`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    phone.sequence = 1
    var page = phone.page(["a"])
    page.group.recordCount = 2

    let found = try await code { _ = try await phone.transport.send(page) }

    #expect(found == .invalidRequest)
    #expect(try folder.segments() == [])
  }

  @Test func `a record that cannot be carried is refused by itself`() async throws {
    let folder = try TestFolder()
    let limits = DirectoryLimits(transport: TransportLimits(recordBytes: 10))
    var phone = try await TestDevice("phone", 1, in: folder, limits: limits)
    phone.sequence = 2
    let page = phone.page(["a", String(repeating: "x", count: 11)])

    let answer = try await phone.transport.send(page)

    #expect(answer.acceptance == nil)
    #expect(answer.refused.map(\.key) == [page.deltas[1].key])
    #expect(answer.refused.map(\.code) == ["tooLarge"])
    #expect(try folder.segments() == [])
  }

  @Test func `a change tells what its writer had read of the reader`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a", "b")
    try await laptop.publish("unaware")
    _ = try await laptop.fetch()
    try await laptop.publish("aware")

    let changes = try await phone.fetchChanges()

    #expect(changes.map(\.seenOfReader) == [0, 2])
    #expect(changes.map(\.device) == [laptop.info.id, laptop.info.id])
  }

  @Test func `a long upload is shown until it ends`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    try await phone.publish("a", isPartOfUpload: true)
    _ = try await laptop.fetch()
    #expect(laptop.uploading == ["phone"])
    _ = try await laptop.fetch()
    #expect(laptop.uploading == ["phone"])
    try await phone.publish("b")
    _ = try await laptop.fetch()
    #expect(laptop.uploading == [])
  }

  @Test func `a large group counts only when all its files are there`() async throws {
    let (folder, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice(
      "phone", 1, in: folder, limits: DirectoryLimits(partBytes: 100))
    try await phone.publish("a", "b", "c")
    let files = try folder.segments()
    #expect(files.count == 3)
    try folder.carryAll(to: carried)
    var laptop = try await TestDevice("laptop", 2, in: carried)
    for file in files {
      try carried.remove(file)
      #expect(try await laptop.fetch() == [])
      #expect(laptop.waitingFor == ["Waiting for 1 file of phone (changes 1 to 3)."])
      try folder.carry(file, to: carried)
    }

    #expect(try await laptop.fetch() == ["a", "b", "c"])
    try await phone.publish("d")
    try folder.carry(try #require(folder.segments().last), to: carried)
    #expect(try await laptop.fetch() == ["d"])
  }

  @Test func `a fetch with nothing new reads no old segment`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    // If it were read, it would be found damaged.
    for file in try folder.segments() { try folder.write([1, 2, 3], to: file) }

    try await laptop.reopen(in: folder)

    #expect(try await laptop.fetch() == [])
    #expect(laptop.waitingFor == [])
  }
}
