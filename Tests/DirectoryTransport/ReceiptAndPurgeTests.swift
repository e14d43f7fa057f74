import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ReceiptTests {
  @Test func `a device learns how far the others have read it`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a", "b")

    #expect(try await phone.receipts() == [])
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()

    let report = DeviceReport(
      device: laptop.info, position: 2, reportedAt: 1_750_000_000_000)
    #expect(try await phone.receipts() == [report])
  }

  @Test func `a segment tells it where the position file is lost`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    try await laptop.publish("b")
    _ = try await phone.fetch()

    #expect(try await phone.receipts().map(\.position) == [1])
  }

  @Test func `a damaged position file says nothing`() async throws {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    let laptop = try await TestDevice("laptop", 2, in: folder)
    _ = try await laptop.receipts()
    let file = try #require(folder.files().first { $0.hasSuffix(".ack") })
    let bytes = try folder.read(file)
    for count in 0..<bytes.count {
      try folder.write(Array(bytes[..<count]), to: file)
      #expect(try await phone.receipts() == [], "\(count) bytes")
    }
    _ = try await laptop.receipts()
    #expect(try await phone.receipts().count == 1)
  }

  @Test func `an idle device writes nothing`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    let written = Counter()
    var idle = try await TestDevice(
      "laptop", 2, in: folder, expected: laptop.zone,
      observe: { _, _ throws(TransportError) in written.count() })
    idle.cursor = laptop.cursor

    #expect(try await idle.fetch() == [])
    _ = try await idle.receipts()

    #expect(idle.cursor == laptop.cursor)
    #expect(written.value == 0)
  }

  @Test func `a damaged cursor is refused`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    for bytes: [UInt8] in [[0xFF], [0xA1, 0x00, 0x18], Array(repeating: 0x9B, count: 9)] {
      phone.cursor = Cursor(bytes: bytes)
      let found = try await code { _ = try await phone.receipts() }
      #expect(found == .invalidRequest)
    }
  }
}

@Suite struct PurgeTests {
  @Test func `a purge removes all data and stops the other devices`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    try await laptop.publish("b")
    _ = try await laptop.receipts()

    try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))

    #expect(try folder.segments() == [])
    #expect(try folder.files().filter { $0.hasSuffix(".ack") } == [])
    var found = [try await code { try await laptop.reopen() }]
    found.append(try await code { _ = try await laptop.fetch() })
    found.append(try await code { _ = try await laptop.transport.send(laptop.page(["c"])) })
    found.append(try await code { _ = try await laptop.receipts() })
    #expect(found == Array(repeating: .zonePurged, count: 4))
    let error = try #require(
      await #expect(throws: TransportError.self) { try await laptop.reopen() })
    #expect(error.remedy == .ask)
    #expect(error.message.contains("phone removed all its data"))
  }

  @Test func `a purge that is repeated after a lost answer is one`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let request = PurgeRequest(device: phone.info, zone: phone.zone)

    try await phone.transport.purge(request)
    try await phone.transport.purge(request)

    #expect(try folder.files().filter { $0.hasSuffix(".purge.json") }.count == 1)
  }

  @Test func `after a purge a device that chooses to can publish again`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    try await laptop.publish("b")
    _ = try await laptop.fetch()
    let late = try #require(folder.segments().last)
    let lateBytes = try folder.read(late)
    try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
    // A carrier may bring back a file of before.
    try folder.write(lateBytes, to: late)

    var chosen = try await TestDevice("laptop", 2, in: folder)
    (chosen.sequence, chosen.cursor) = (laptop.sequence, laptop.cursor)
    try await chosen.publish("again")
    var tablet = try await TestDevice("tablet", 3, in: folder)

    #expect(chosen.opened.lastAccepted == nil)
    #expect(try await tablet.fetch() == ["again"])
    #expect(tablet.proof.incarnation == 2)
  }

  @Test func `a purge that is still being copied stops sending`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let name = "zones/notes/2.\(blake2b("whatever")).purge.json"
    try folder.write([1], to: name)

    #expect(try await code { _ = try await phone.fetch() } == .unreachable)
  }

  @Test func `a purge that was undone by a backup of the folder is asked about`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
    let after = try await TestDevice("laptop", 2, in: folder)
    let marker = try #require(folder.files().first { $0.hasSuffix(".purge.json") })
    try folder.remove(marker)

    let found = try await code { _ = try await after.receipts() }

    #expect(found == .zoneRestored)
  }
}
