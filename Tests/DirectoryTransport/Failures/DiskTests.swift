import Foundation
import StrandlineDirectoryTransport
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Disks that are full, cannot be written or are taken away, with real ones.
@Suite(.enabled(if: Mount.isPossible, "this process may not mount a disk"))
struct DiskTests {
  @Test func `a full disk stops sending, leaves nothing behind and goes on when there is room`()
    async throws
  {
    let disk = try await Mount.disk(kibibytes: 1024)
    let folder = TestFolder(at: disk.folder)
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("before")
    let before = try folder.files()
    try fill(disk.folder + "/holiday.mov")

    phone.sequence += 1
    let page = phone.page((0..<900).map { "after \($0)" })
    let error = await #expect(throws: TransportError.self) {
      _ = try await phone.transport.send(page)
    }

    #expect(error?.code == .quota)
    #expect(error?.remedy == .retry(afterMilliseconds: nil))
    #expect(error?.message.contains("No space left on device") == true)
    #expect(try folder.files() == (before + ["holiday.mov"]).sorted())
    #expect(try hiddenFiles(in: disk.folder) == [])
    // Reading goes on meanwhile.
    #expect(try await laptop.fetch() == ["before"])
    try folder.remove("holiday.mov")
    let answer = try await phone.transport.send(page)
    #expect(answer.acceptance?.sequence == phone.sequence)
    #expect(try await laptop.fetch(limit: 1000).count == 900)
    try await disk.end()
  }

  @Test func `a disk that cannot be written is read and names the cause`() async throws {
    let disk = try await Mount.disk(kibibytes: 1024)
    let folder = TestFolder(at: disk.folder)
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    let files = try folder.files()
    try disk.setReadOnly()

    #expect(try await laptop.fetch() == ["a"])
    let error = await #expect(throws: TransportError.self) { try await laptop.publish("b") }
    let receipt = try await code { _ = try await laptop.receipts() }
    let new = try await code { _ = try await TestDevice("t", 3, in: folder, zoneName: "x") }

    #expect(error?.code == .notAuthorized)
    #expect(error?.message.contains("Read-only file system") == true)
    #expect([receipt, new] == [.notAuthorized, .notAuthorized])
    #expect(try folder.files() == files)
    // What stands there can still be opened.
    try await laptop.reopen()
    try disk.setWritable()
    let answer = try await laptop.transport.send(laptop.page(["b"]))
    #expect(answer.acceptance?.sequence == laptop.sequence)
    #expect(try await phone.fetch() == ["b"])
    try await disk.end()
  }

  @Test func `a disk that is taken away in the middle stops every call and makes nothing anew`()
    async throws
  {
    let disk = try await Mount.disk(kibibytes: 1024)
    let backing = try TestFolder()
    let folder = TestFolder(at: disk.folder)
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    #expect(try await laptop.fetch() == ["a"])
    try folder.carryAll(to: backing)
    var page = phone.page(["b"])
    page.group.sequence = 2
    try await disk.end()

    var found = [try await code { try await phone.reopen() }]
    found.append(try await code { _ = try await phone.fetch() })
    found.append(try await code { _ = try await phone.transport.send(page) })
    found.append(try await code { _ = try await phone.receipts() })
    #expect(found == Array(repeating: .zoneNotFound, count: 4))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.folder) == [])

    // The disk is back, in the same place.
    try backing.carryAll(to: folder)
    _ = try await phone.transport.send(page)
    #expect(try await laptop.fetch() == ["b"])
  }

  @Test func `a file that the system forbids to change is named, and the rest goes on`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    _ = try await laptop.receipts()
    let file = try #require(folder.files().first { $0.hasSuffix(".ack") })
    try #require(await setImmutable(true, folder.path + "/" + file))
    try await phone.publish("b")
    #expect(try await laptop.fetch() == ["b"])

    let error = await #expect(throws: TransportError.self) { _ = try await laptop.receipts() }
    #expect(error?.code == .notAuthorized)
    #expect(error?.message.contains("it belongs to root") == true)
    try await laptop.publish("c")
    #expect(try await phone.fetch() == ["c"])
    try #require(await setImmutable(false, folder.path + "/" + file))
    #expect(try await laptop.receipts().count == 1)
  }

  private func setImmutable(_ isOn: Bool, _ path: String) async throws -> Bool {
    let place = try TemporaryFolder()
    let change = ChildProcess(
      folder: place, executable: "chattr", arguments: [isOn ? "+i" : "-i", path])
    return try await change.run().code == 0
  }

  /// Takes all room that is left, to the last byte.
  private func fill(_ path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    for size in [65_536, 4096, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while write(descriptor, bytes, size) == size {}
    }
    #expect(errno == ENOSPC)
  }

  private func hiddenFiles(in path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter {
      $0.split(separator: "/").last?.hasPrefix(".") == true
    }
  }
}
