import Strandline
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import Testing

/// C15 in a folder: what a device published while its clock was ahead.
@Suite struct FutureFileTests {
  private static let year: Int64 = 365 * 86_400_000
  private let time = TestTime()

  @Test func `C15: what was published a year ahead is published anew once the clock is right`()
    async throws
  {
    let space = try TemporaryFolder()
    try space.makeFolder("folder")
    let phone = try await FolderDevice("phone", space.path("folder"), time)
    let laptop = try await FolderDevice("laptop", space.path("folder"), time)
    let (old, new) = (RecordID(), RecordID())
    try await phone.insert(old, "one")
    for device in [phone, laptop, phone] { try await device.sync() }
    time.set("phone", ahead: Self.year)
    try await phone.rename(old, "two")
    try await phone.insert(new, "new")
    try await phone.rename(new, "new, edited")
    try await phone.sync()
    let parked = try await laptop.sync()
    #expect(parked.imported == 0)
    #expect(parked.waitingFor.contains { $0.contains("365 days ahead") })
    time.set("phone", ahead: 0)
    time.advance()

    try await phone.sync()
    let report = try await laptop.sync()

    #expect(report.waitingFor == [])
    #expect(try await name(old, laptop) == "two")
    #expect(try await name(new, laptop) == "new, edited")
    #expect(try await phone.store.read { try $0.brokenInvariants() }.isEmpty)
    // The device from the future does not win for a year.
    time.advance()
    try await laptop.rename(old, "three")
    for device in [laptop, phone] { try await device.sync() }
    #expect(try await name(old, phone) == "three")
    time.advance(2 * Self.year)
    for device in [phone, laptop, phone] { try await device.sync() }
    #expect(try await name(old, laptop) == "three")
  }

  @Test func `C15: a clock that falls behind does not make a device stamp its past anew`()
    async throws
  {
    let space = try TemporaryFolder()
    try space.makeFolder("folder")
    let phone = try await FolderDevice("phone", space.path("folder"), time)
    let laptop = try await FolderDevice("laptop", space.path("folder"), time)
    let id = RecordID()
    try await phone.insert(id, "one")
    for device in [phone, laptop, phone, laptop, phone] { try await device.sync() }
    let before = try await phone.store.read { try $0.seenStamp() }
    time.set("phone", ahead: -Self.year)
    try await phone.engine.syncNow()
    try await phone.rename(id, "two")
    let report = try await phone.engine.syncNow()

    #expect(report.error?.codeName == "clockSkew")
    #expect(try await phone.store.read { try $0.seenStamp() } > before)
    time.set("phone", ahead: 0)
    try await phone.sync()
    try await laptop.sync()
    #expect(try await name(id, laptop) == "two")
  }

  private func name(_ id: RecordID, _ device: FolderDevice) async throws -> String? {
    try await device.store.read { try $0.record("TodoItem", id)?["name"].text }
  }
}
