import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineHTTPTransport
import StrandlineModels
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Whichever disk is full, the device says which, keeps its queue, and goes on by itself.
///
/// What single saves do on a full disk is in `Storage/Opening/FullDiskTests`, what single sends do
/// in `DirectoryTransport/Failures/DiskTests` and `Server/Hostility/FullDiskServerTests`.
@Suite(
  .enabled(if: Mount.isPossible, "Only root may mount a small disk."), .timeLimit(.minutes(30)))
struct FullDiskDeviceTests {
  private static func folder(_ path: String) -> DirectoryTransport {
    DirectoryTransport(path: path)
  }

  @Test func `F5: a device whose own disk is full says so and goes on by itself`() async throws {
    let disk = try await SmallDisk(kibibytes: 16 << 10)
    let place = try TemporaryFolder()
    let phone = try await SyncedDevice(
      "phone", at: .file(disk.folder + "/store.sqlite"), Self.folder(place.url.path))
    let laptop = try await SyncedDevice("laptop", at: .memory, Self.folder(place.url.path))
    try await phone.save(["first"])
    _ = try await phone.synced.syncNow()
    try await phone.save(["queued"])
    try await laptop.save((0..<200).map { "big \($0)" }, bytes: 8000)
    _ = try await laptop.synced.syncNow()
    try disk.fill()

    let refused = await #expect(throws: StorageError.self) {
      try await phone.save((0..<200).map { "too much \($0)" }, bytes: 8000)
    }
    #expect(refused?.code == .diskFull)
    #expect(try await phone.names() == ["first", "queued"])
    phone.run()
    try await wait(for: "the first failure") { phone.toldCodes.contains("diskFull") }
    let status = try await phone.status()
    #expect(status.standing == .waiting, "\(status)")
    #expect(status.reasonCode == "diskFull", "\(status)")
    #expect(status.reason?.contains("The disk that holds the store is full") == true, "\(status)")
    #expect(status.cure?.contains("by itself") == true, "\(status)")
    #expect(status.pending == 1)
    #expect(try await phone.names() == ["first", "queued"])

    try disk.empty()
    try await wait(for: "the device to go on") { try await phone.status().standing == .caughtUp }
    _ = try await laptop.synced.syncNow()
    #expect(try await phone.names().count == 202)
    #expect(try await laptop.names() == phone.names())
    #expect(try await phone.status().reasonCode == nil)
    try await disk.end()
  }

  @Test func `F5: a cycle that a full disk stops is tried again and names the disk`() async throws {
    let disk = try await SmallDisk(kibibytes: 16 << 10)
    let place = try TemporaryFolder()
    let path = disk.folder + "/store.sqlite"
    let phone = try await SyncedDevice("phone", at: .file(path), Self.folder(place.url.path))
    let laptop = try await SyncedDevice("laptop", at: .memory, Self.folder(place.url.path))
    _ = try await phone.synced.syncNow()
    try await laptop.save((0..<200).map { "big \($0)" }, bytes: 8000)
    _ = try await laptop.synced.syncNow()
    try disk.fill()

    let report = try await phone.synced.syncNow()

    let error = try #require(report.error)
    #expect(error.codeName == "diskFull")
    #expect(error.message.hasPrefix("Could not sync, the disk that holds '\(path)' is full"))
    #expect(error.advice.contains("by itself"))
    #expect(try await phone.names() == [])
    try disk.empty()
    _ = try await phone.synced.syncNow()
    #expect(try await phone.names().count == 200)
    try await disk.end()
  }

  @Test func `F6: a full folder is named, the queue is kept, and reading goes on`() async throws {
    let disk = try await SmallDisk(kibibytes: 4096)
    let phone = try await SyncedDevice("phone", at: .memory, Self.folder(disk.folder))
    let laptop = try await SyncedDevice("laptop", at: .memory, Self.folder(disk.folder))
    try await phone.save(["first"])
    _ = try await phone.synced.syncNow()
    try disk.fill()
    try await phone.save((0..<50).map { "queued \($0)" }, bytes: 8000)

    phone.run()
    try await wait(for: "the first failure") { phone.toldCodes.contains("quota") }
    let status = try await phone.status()
    #expect(status.standing == .waiting)
    #expect(status.reason?.contains(disk.folder) == true, "\(status)")
    #expect(status.reason?.contains("No space left on device") == true, "\(status)")
    #expect(status.pending == 50)
    let read = try await laptop.synced.syncNow()
    #expect(read.imported == 1)

    try disk.empty()
    try await wait(for: "the device to go on") { try await phone.status().pending == 0 }
    _ = try await laptop.synced.syncNow()
    #expect(try await laptop.names().count == 51)
    try await disk.end()
  }

  @Test func `F6: a server that is full is named, the queue is kept, and reading goes on`()
    async throws
  {
    let disk = try await SmallDisk(kibibytes: 48 << 10)
    let place = try TemporaryFolder()
    let data = disk.folder + "/data"
    try FileManager.default.createSymbolicLink(
      atPath: place.path("server"), withDestinationPath: data)
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let server = ServerProcess(in: place)
    try await server.start()
    let token = try await server.signUp("anna")
    let named = TransportConfiguration(
      specification: TransportSpecification(server.address), tokenFile: token)
    let phone = try await SyncedDevice("phone", at: .memory, try HTTPTransport(named))
    let laptop = try await SyncedDevice("laptop", at: .memory, try HTTPTransport(named))
    try await phone.save(["first"])
    _ = try await phone.synced.syncNow()
    try disk.fill()
    try await phone.save((0..<200).map { "queued \($0)" }, bytes: 20_000)

    phone.run()
    try await wait(for: "the first failure") { phone.toldCodes.contains("quota") }
    let status = try await phone.status()
    #expect(status.standing == .waiting)
    #expect(status.until != nil)
    #expect(status.peer == server.address)
    #expect(status.reason?.contains("the disk of the server is full") == true, "\(status)")
    #expect(status.pending == 200)
    _ = try await laptop.synced.syncNow()
    #expect(try await laptop.names() == ["first"])

    // The server told to come back in a minute; who asks for it goes on at once.
    try disk.empty()
    try await wait(for: "the server") { try await phone.synced.syncNow().error == nil }
    #expect(try await phone.status().pending == 0)
    _ = try await laptop.synced.syncNow()
    #expect(try await laptop.names().count == 201)
    #expect(try await server.stop()?.code == 0)
    try await disk.end()
  }
}
