import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Files that go missing, stores and folders that are put back: what anybody has read comes back
/// into the folder (C9).
struct LostFileTests {
  private let space = try? TemporaryFolder()
  private let time = TestTime()

  private func folder(_ name: String = "folder") throws -> String {
    let space = try #require(space)
    try space.makeFolder(name)
    return space.path(name)
  }

  @Test
  func `C9: a device that misses a file of its own goes on under a new identity with all it has`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time)
    for number in 1...3 {
      try await phone.insert(record(UInt64(number)), "item \(number)")
      try await phone.sync()
    }
    let old = try await phone.id()
    try folder().remove(try await phone.segments()[1])
    time.advance(DirectoryLimits().lackPatience * 2)
    try await phone.sync()
    time.advance(DirectoryLimits().lackPatience * 2)
    try await phone.sync()
    #expect(try await phone.id() != old)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await laptop.sync()
    #expect(try await laptop.names() == phone.names())
    #expect(try await laptop.said().waitingFor == [])
  }

  @Test func `C9: a device offers what it has read of a writer whose files are gone`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "only the laptop has read this")
    try await phone.sync()
    try await laptop.sync()
    for file in try await phone.segments() { try folder().remove(file) }

    // The phone never comes back. A file may be late, so the laptop does not hurry.
    try await laptop.sync()
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names().isEmpty)
    let waiting = try await tablet.said().waitingFor
    #expect(waiting.count == 1 && waiting[0].contains("phone"))

    time.advance(DirectoryLimits().lackPatience * 2)
    try await laptop.sync()
    try await tablet.sync()
    #expect(try await tablet.names() == [record(1): "only the laptop has read this"])
    #expect(try await tablet.said().waitingFor == [])
    // Once is enough.
    let files = try folder().allFiles()
    time.advance(DirectoryLimits().lackPatience * 2)
    try await laptop.sync()
    #expect(try folder().allFiles() == files)
  }

  @Test func `C9: of two who have read the lost files one offers them`() async throws {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    let desk = try await FolderDevice("desk", folder(), time)
    try await phone.insert(record(1), "read by two")
    try await phone.sync()
    for _ in 0..<2 {
      try await laptop.sync()
      try await desk.sync()
    }
    for file in try await phone.segments() { try folder().remove(file) }
    for _ in 0..<4 {
      try await laptop.sync()
      try await desk.sync()
      time.advance(DirectoryLimits().lackPatience)
    }
    let offers = try await laptop.segments().count + desk.segments().count
    #expect(offers == 1)
  }

  @Test func `C9: a store and its folder that are put back together lose nothing`() async throws {
    let here = try folder("here")
    let there = try folder("there")
    let space = try #require(space)
    let phone = try await FolderDevice(
      "phone", here, time, file: space.storeFile("phone"))
    let laptop = try await FolderDevice("laptop", there, time)
    try await phone.insert(record(1), "before the backup")
    try await phone.sync()
    try here.carry(to: there)
    try await laptop.sync()

    await phone.engine.stop()
    phone.store.close()
    try space.copy("phone", to: "phone-backup")
    try space.copy("here", to: "here-backup")
    let second = try await FolderDevice("phone", here, time, file: space.path("phone/store.sqlite"))
    time.advance()
    try await second.rename(record(1), "after the backup")
    try await second.insert(record(2), "after the backup, too")
    try await second.sync()
    try here.carry(to: there)
    try await laptop.sync()
    let phoneID = try await second.id()
    await second.engine.stop()
    second.store.close()

    // The machine is put back; the carrier takes the phone's later files away there, too.
    try space.replace("phone", by: "phone-backup")
    try space.replace("here", by: "here-backup")
    let third = try await FolderDevice("phone", here, time, file: space.path("phone/store.sqlite"))
    time.advance()
    try await third.insert(record(3), "written under the same numbers")
    try await third.sync()
    let kept = try here.allFiles()
    for file in try there.segments(of: phoneID) where !kept.contains(file) {
      try there.remove(file)
    }
    for _ in 0..<3 {
      try here.carry(to: there)
      try await laptop.sync()
      try there.carry(to: here)
      try await third.sync()
      time.advance(DirectoryLimits().lackPatience * 2)
    }
    let expected = [
      record(1): "after the backup", record(2): "after the backup, too",
      record(3): "written under the same numbers",
    ]
    #expect(try await laptop.names() == expected)
    #expect(try await third.names() == expected)
    let tablet = try await FolderDevice("tablet", there, time)
    try await tablet.sync()
    #expect(try await tablet.names() == expected)
  }

  @Test func `a newcomer that stands before a damaged file is helped by one who had read it`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "whole")
    try await phone.sync()
    time.advance()
    try await phone.insert(record(2), "to be damaged")
    try await phone.sync()
    try await laptop.sync()
    let file = try #require(try await phone.segments().last)
    var bytes = try #require(space).bytes("folder/" + file)
    bytes[bytes.count / 2] ^= 1
    try #require(space).write(bytes, to: "folder/" + file)

    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names().count == 1)
    // Another start of the laptop, which remembers no file that it has verified.
    let again = await laptop.startedAgain(time)
    try await again.sync()
    time.advance(DirectoryLimits().lackPatience * 3)
    try await again.sync()
    try await tablet.sync()
    #expect(try await tablet.names().count == 2)
  }

  @Test func `C23: gathering again rings no alarm, two copies of one device do`() async throws {
    let space = try #require(space)
    let shared = try folder()
    let phone = try await FolderDevice(
      "phone", shared, time, .tidy, file: space.storeFile("phone"))
    let laptop = try await FolderDevice("laptop", shared, time)
    for number in 1...6 {
      time.advance()
      try await phone.insert(record(UInt64(number)), "item \(number)")
      try await phone.sync()
      try await laptop.sync()
      #expect(try await laptop.said().notices == [])
    }
    // A copy of the store that was never told apart, in a place of its own.
    let other = try folder("other")
    try shared.carry(to: other)
    await phone.engine.stop()
    phone.store.close()
    try space.copy("phone", to: "twin")
    let one = try await FolderDevice("phone", shared, time, file: space.path("phone/store.sqlite"))
    let two = try await FolderDevice("phone", other, time, file: space.path("twin/store.sqlite"))
    #expect(try await one.id() == two.id())
    time.advance()
    try await one.insert(record(21), "of one")
    try await one.sync()
    try await two.insert(record(22), "of the other")
    try await two.sync()
    try other.carry(to: shared)
    try await laptop.sync()
    #expect(try await laptop.names().count == 8)
    let notices = try await laptop.said().notices
    #expect(notices.contains { $0.hasPrefix("Two copies of phone") }, "\(notices)")
  }
}

extension LostFileTests {
  @Test func `C30: two copies of a store that both write take two identities and end equal`()
    async throws
  {
    let space = try #require(space)
    let here = try folder("here")
    let there = try folder("there")
    let phone = try await FolderDevice("phone", here, time, .tidy, file: space.storeFile("phone"))
    try await phone.insert(record(1), "before the copy")
    try await phone.sync()
    await phone.engine.stop()
    phone.store.close()
    try space.copy("phone", to: "twin")
    try here.carry(to: there)
    let one = try await FolderDevice(
      "phone", here, time, .tidy, file: space.path("phone/store.sqlite"))
    let two = try await FolderDevice(
      "phone", there, time, .tidy, file: space.path("twin/store.sqlite"))
    // Each gathers what it writes, so that its own originals are gone when the other's arrive.
    for number in 0..<3 {
      time.advance()
      try await one.insert(record(UInt64(10 + number)), "of one")
      try await one.sync()
      try await two.insert(record(UInt64(20 + number)), "of the other")
      try await two.insert(record(UInt64(30 + number)), "of the other")
      try await two.sync()
    }
    // From now on neither has anything to send.
    for _ in 0..<4 {
      try here.carry(to: there)
      try await two.sync()
      try there.carry(to: here)
      try await one.sync()
      time.advance(DirectoryLimits().lackPatience * 2)
    }
    #expect(try await one.names().count == 10)
    #expect(try await one.names() == two.names())
    #expect(try await one.id() != two.id())
    let laptop = try await FolderDevice("laptop", here, time)
    try await laptop.sync()
    #expect(try await laptop.names() == one.names())
  }

  @Test func `a store that follows two folders settles on one identity after a loss in one`()
    async throws
  {
    let (here, there) = (try folder("here"), try folder("there"))
    let store = try await Store.open(
      .memory, schema: try SampleSchema.todo(), options: StoreOptions(clock: time.clock(of: "hub")))
    let hub = SyncedStore(
      store: store, registry: Registry([]), options: SyncEngine.Options(deviceName: "hub"))
    for path in [here, there] {
      _ = try await hub.follow(DirectoryTransport(path: path, clock: time.clock(of: "hub")))
    }
    try await store.write {
      try $0.insert("TodoItem", id: record(1), values: ["name": .text("one")])
    }
    try await hub.syncNow()
    let device = try await store.read { try $0.deviceID() }
    for file in try here.segments(of: device) { try here.remove(file) }
    for _ in 0..<4 { try await hub.syncNow() }
    let settled = try await store.read { try $0.deviceID() }
    #expect(settled != device)
    let files = try (here.allFiles(), there.allFiles())
    let report = try await hub.syncNow()
    #expect(report.exported == 0)
    #expect(try await store.read { try $0.deviceID() } == settled)
    #expect(try (here.allFiles(), there.allFiles()) == files)
    for path in [here, there] {
      let laptop = try await FolderDevice("laptop", path, time)
      try await laptop.sync()
      #expect(try await laptop.names() == [record(1): "one"])
    }
    await hub.close()
  }
}
