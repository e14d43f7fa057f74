import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What a writer had read is read before what it wrote then, and nobody waits for ever (C4e).
struct WaitingTests {
  private let space = try? TemporaryFolder()
  private let time = TestTime()

  /// A laptop that has written something after it had read the phone, whose file is lost since.
  private func laptopAfterLoss() async throws -> FolderDevice {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "read by the laptop")
    try await phone.sync()
    try await laptop.sync()
    time.advance()
    try await laptop.insert(record(2), "written then")
    try await laptop.sync()
    for file in try await phone.segments() { try folder().remove(file) }
    return laptop
  }

  private func folder() throws -> String { try #require(space).url.path }

  @Test func `C4e: gathered groups that wait for each other in a circle are read together`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    let laptop = try await FolderDevice("laptop", folder(), time, .tidy)
    for number in 1...6 {
      try await phone.insert(record(UInt64(number)), "phone \(number)")
      try await phone.sync()
      try await laptop.sync()
      time.advance()
      try await laptop.insert(record(UInt64(number + 10)), "laptop \(number)")
      try await laptop.sync()
      try await phone.sync()
      time.advance()
    }
    #expect(try await phone.segments().count <= 2)
    #expect(try await laptop.segments().count <= 2)
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names().count == 12)
    #expect(try await tablet.said().waitingFor == [])
  }

  @Test func `C4e: a change waits for what its writer had read, and not for ever`() async throws {
    // Neither of the two comes back.
    _ = try await laptopAfterLoss()
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names().isEmpty)
    #expect(try await tablet.said().waitingFor.count == 1)
    time.advance(DirectoryLimits().waitPatience)
    try await tablet.sync()
    #expect(try await tablet.names() == [record(2): "written then"])
  }

  @Test func `C4e: a cover ends the wait`() async throws {
    let laptop = try await laptopAfterLoss()
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    try await laptop.sync()
    time.advance(DirectoryLimits().lackPatience * 2)
    try await laptop.sync()
    try await tablet.sync()
    #expect(try await tablet.names().count == 2)
    #expect(try await tablet.said().waitingFor == [])
  }

  @Test func `C24: a device that knows of changes which are not here says what it waits for`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "read by the laptop")
    try await phone.sync()
    try await laptop.sync()
    let file = try #require(try await phone.segments().first)
    let bytes = try #require(space).bytes(file)
    try folder().remove(file)
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.said().waitingFor.count == 1)
    try #require(space).write(bytes, to: file)
    try await tablet.sync()
    #expect(try await tablet.said().waitingFor == [])
  }
}

extension WaitingTests {
  @Test func `an upload in pieces whose device is gone is not waited for for ever`() async throws {
    let folder = try #require(space).url.path
    let phone = try await FolderDevice("phone", folder, time, uploadLimit: 2)
    for number in 1...3 { try await phone.insert(record(UInt64(number)), "item \(number)") }
    try await phone.sync()
    let pieces = try await phone.segments()
    #expect(pieces.count == 2)
    // The second piece never leaves the phone.
    try folder.remove(pieces[1])
    let laptop = try await FolderDevice("laptop", folder, time)
    #expect(try await laptop.sync().caughtUpAt == nil)
    time.advance(DirectoryLimits().waitPatience)
    #expect(try await laptop.sync().caughtUpAt != nil)
  }

  @Test func `an upload in pieces ends with that of the device's next identity`() async throws {
    let space = try #require(space)
    let folder = space.path("folder")
    try space.makeFolder("folder")
    let phone = try await FolderDevice(
      "phone", folder, time, file: space.storeFile("phone"), uploadLimit: 2)
    for number in 1...3 { try await phone.insert(record(UInt64(number)), "item \(number)") }
    await phone.engine.stop()
    phone.store.close()
    try space.copy("phone", to: "backup")
    let first = try await FolderDevice(
      "phone", folder, time, file: space.path("phone/store.sqlite"), uploadLimit: 2)
    for number in 4...5 { try await first.insert(record(UInt64(number)), "item \(number)") }
    try await first.sync()
    let pieces = try await first.segments()
    #expect(pieces.count == 3)
    let earlier = try await first.id()
    await first.engine.stop()
    first.store.close()
    // It was put back before its upload had ended, and goes on under a new identity.
    try folder.remove(pieces[2])
    let laptop = try await FolderDevice("laptop", folder, time)
    #expect(try await laptop.sync().caughtUpAt == nil)
    let second = try await FolderDevice(
      "phone", folder, time, file: space.path("backup/store.sqlite"), uploadLimit: 2)
    #expect(try await second.sync().caughtUpAt != nil)
    #expect(try await second.id() != earlier)
    #expect(try await laptop.sync().caughtUpAt != nil)
    #expect(try await laptop.names().count == 4)
    #expect(try await second.sync().caughtUpAt != nil)
  }

  @Test func `two copies of a store that only read take two identities`() async throws {
    let space = try #require(space)
    let folder = space.path("folder")
    try space.makeFolder("folder")
    let phone = try await FolderDevice("phone", folder, time)
    try await phone.insert(record(1), "one")
    try await phone.sync()
    let laptop = try await FolderDevice(
      "laptop", folder, time, file: space.storeFile("laptop"))
    try await laptop.sync()
    await laptop.engine.stop()
    laptop.store.close()
    try space.copy("laptop", to: "twin")
    let one = try await FolderDevice(
      "laptop", folder, time, file: space.path("laptop/store.sqlite"))
    let two = try await FolderDevice("laptop", folder, time, file: space.path("twin/store.sqlite"))
    time.advance()
    try await phone.insert(record(2), "two")
    try await phone.sync()
    try await one.sync()
    let zone = try #require(try await two.store.read { try $0.peers().first?.zone })
    let device = try await two.id()
    let cursor = try await two.store.read { try $0.peers().first?.cursor }
    await #expect(throws: TransportError.self) {
      try await two.engine.transport.exchangeReceipts(
        Receipt(
          device: DeviceInfo(id: device, name: "laptop"), zone: ZoneID(rawValue: zone), proof: nil,
          cursor: Cursor(bytes: cursor ?? [])))
    }
  }
}
