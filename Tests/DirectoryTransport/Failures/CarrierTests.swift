import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// What carriers do to a folder as a whole.
@Suite struct CarrierTests {
  @Test func `only files need to be carried, folders are made where they are needed`()
    async throws
  {
    let (here, there) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: here)
    // Nothing is published: the zone's folder holds its space file and nothing else.
    try here.carryAll(to: there)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: there.path + "/zones/notes").count == 1)
    var laptop = try await TestDevice("laptop", 2, in: there)

    #expect(try await laptop.fetch() == [])
    _ = try await laptop.receipts()
    try await laptop.publish("a")
    try there.carryAll(to: here)
    #expect(try await phone.fetch() == ["a"])
    // An empty writer's folder that somebody tidied away is made again.
    try FileManager.default.removeItem(atPath: here.path + "/zones/notes/i1/ack")
    _ = try await phone.receipts()
    #expect(try here.files().contains { $0.hasSuffix("\(phone.info.id).ack") })
  }

  @Test(arguments: Seeds.all)
  func `a listing of which any part is missing deletes nothing`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (whole, seen) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: whole)
    var tablet = try await TestDevice("tablet", 3, in: whole)
    for round in 0..<6 {
      try await phone.publish("\(round) phone")
      _ = try await tablet.fetch()
      try await tablet.publish("\(round) tablet")
    }
    try whole.carryAll(to: seen)
    var laptop = try await TestDevice("laptop", 2, in: seen)
    var came: [FetchedChange] = []
    for _ in 0..<20 {
      let hidden = try seen.segments().filter { _ in Bool.random(using: &random) }
      for file in hidden { try seen.remove(file) }
      came += try await laptop.fetchChanges()
      for file in hidden { try whole.carry(file, to: seen) }
    }
    came += try await laptop.fetchChanges()

    // Every text came at least once, and nothing came that says that something was deleted.
    #expect(Set(came.map { $0.delta.key.id.description }).count == 12, "seed \(seed)")
    #expect(came.allSatisfy { $0.delta.death == nil }, "seed \(seed)")
    #expect(laptop.waitingFor == [], "seed \(seed)")
  }

  @Test func `a folder that was shared twice and merged again holds what both held`()
    async throws
  {
    let (here, there) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: here)
    var laptop = try await TestDevice("laptop", 2, in: here)
    try await phone.publish("before")
    _ = try await laptop.fetch()
    try here.carryAll(to: there)
    // The share splits: each goes on in its own half, and a newcomer comes to the second.
    try await laptop.reopen(in: there)
    try await phone.publish("phone alone")
    try await laptop.publish("laptop alone")
    var tablet = try await TestDevice("tablet", 3, in: there)
    _ = try await tablet.fetch()
    try await tablet.publish("tablet")
    try here.carryAll(to: there)
    try there.carryAll(to: here)

    #expect(try await phone.fetch() == ["laptop alone", "tablet"])
    #expect(try await laptop.fetch() == ["phone alone", "tablet"])
    #expect(try await tablet.fetch() == ["phone alone"])
    var watch = try await TestDevice("watch", 4, in: here)
    #expect(
      try await watch.fetch() == ["before", "phone alone", "laptop alone", "tablet"])
  }

  @Test func `an old position file that comes back is written again by its owner`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    let file = try #require(folder.files().first { $0.hasSuffix(".ack") })
    let old = try folder.read(file)
    try await phone.publish("b")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    try folder.write(old, to: file)

    #expect(try await phone.receipts().map(\.position) == [1])
    #expect(try await laptop.fetch() == [])
    _ = try await laptop.receipts()
    #expect(try await phone.receipts().map(\.position) == [2])
  }

  @Test func `locks that others hold on every file stop nobody, and none is made`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await phone.receipts()
    var locks: [Int32] = []
    defer { for lock in locks { close(lock) } }
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) + [""] {
      let lock = open(folder.path + "/" + path, O_RDONLY | O_CLOEXEC)
      try #require(lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
      locks.append(lock)
    }

    #expect(try await laptop.fetch() == ["a"])
    try await laptop.publish("b")
    _ = try await laptop.receipts()
    #expect(try await phone.fetch() == ["b"])
    _ = try await phone.receipts()
    let ends = Set(try folder.files().compactMap { $0.split(separator: ".").last })
    #expect(ends == ["txt", "json", "seg", "ack"])
  }

  @Test(arguments: [Int64(0), 1_750_000_000_000, 9_000_000_000_000])
  func `a death stays in the folder whatever the clock says`(now: Int64) async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    phone.sequence += 1
    let stamp = Stamp(milliseconds: 1)
    var page = phone.page([])
    page.deltas = [
      RecordDelta(
        key: RecordKey(entity: "Note", id: RecordID(text: "a")),
        death: Death(life: Stamp(milliseconds: 0), stamp: stamp))
    ]
    page.group.recordCount = 1
    _ = try await phone.transport.send(page)
    // Everybody has read it, and years pass.
    for number in 0..<3 {
      var reader = try await TestDevice("reader", 5 + UInt64(number), in: folder, now: now)
      _ = try await reader.fetch()
      _ = try await reader.receipts()
      try await reader.reopen()
    }

    var late = try await TestDevice("late", 2, in: folder, now: now)

    #expect(try await late.fetchChanges().compactMap(\.delta.death).map(\.stamp) == [stamp])
  }
}
