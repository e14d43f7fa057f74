import Foundation
import Strandline
import StrandlineDirectoryTransport
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// A store's file that was put back from a backup, or copied, is recognised before it sends
/// anything (C8, C30, F15, F16).
struct RestoredStoreTests {
  /// What the store syncs with.
  enum Way: String, CaseIterable, Sendable {
    case cloud
    case folder
  }

  private let time = TestTime()
  private let cloud: MemoryCloud
  private let folder: TemporaryFolder

  init() throws {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
    folder = try TemporaryFolder()
    for name in ["share", "a", "copy"] { try folder.makeFolder(name) }
  }

  private func transport(_ way: Way) -> any Transport {
    switch way {
    case .cloud: MemoryTransport(cloud: cloud, isEphemeral: false)
    case .folder: DirectoryTransport(path: folder.path("share"), clock: time.clock)
    }
  }

  /// A device whose store is a file in a folder of its own.
  private func open(_ place: String, _ way: Way, follows: Bool = true) async throws -> PeerDevice {
    try await PeerDevice(
      place, time, following: follows ? [transport(way)] : [],
      at: .file(folder.path("\(place)/store.sqlite")))
  }

  /// Runs a device and closes it for good, so that its files may be copied.
  private func run(
    _ place: String, _ way: Way, follows: Bool = true,
    _ body: (PeerDevice) async throws -> Void
  ) async throws {
    let device = try await open(place, way, follows: follows)
    try await body(device)
    await device.synced.close()
  }

  private func reader(_ way: Way) async throws -> PeerDevice {
    let device = try await PeerDevice("reader", time, following: [transport(way)])
    try await device.sync()
    return device
  }

  private func identity(_ device: PeerDevice) async throws -> DeviceID {
    try await device.store.read { try $0.deviceID() }
  }

  // MARK: Restored

  @Test(arguments: Way.allCases, [true, false])
  func `F15: a store from a backup loses nothing, whatever it had sent under the same numbers`(
    way: Way, offlineFirst: Bool
  ) async throws {
    var old: DeviceID?
    try await run("a", way) { device in
      try await device.insert("before the backup")
      try await device.sync()
      old = try await identity(device)
    }
    try folder.copyStore("a/store.sqlite", to: "copy/backup", withToken: false)
    try await run("a", way) { device in
      for index in 0..<3 { try await device.insert("lost with the disk \(index)") }
      try await device.sync()
    }
    try folder.copyStore("copy/backup", to: "a/store.sqlite", withToken: false)

    if offlineFirst {
      try await run("a", way, follows: false) { device in
        // More than were sent, so that the numbers alone tell nothing.
        for index in 0..<5 { try await device.insert("after the restore \(index)") }
      }
    }
    let device = try await open("a", way)
    try await device.insert("last")
    #expect(try await device.sync().error == nil)
    try await device.sync()

    let lost = (0..<3).map { "lost with the disk \($0)" }
    let after = offlineFirst ? (0..<5).map { "after the restore \($0)" } : []
    let all = Set(["before the backup", "last"] + lost + after)
    #expect(try await device.names() == all)
    #expect(try await reader(way).names() == all)
    #expect(try await identity(device) != old)
    #expect(try await device.conflicts().isEmpty)
  }

  @Test func `C30: the token is found out before anything is sent, whoever is asked`() async throws
  {
    try await run("a", .cloud) { device in
      try await device.insert("one")
      try await device.sync()
    }
    try folder.copyStore("a/store.sqlite", to: "copy/backup", withToken: false)
    // Nothing was sent since, so no peer could tell.
    try await run("a", .cloud) { try await $0.sync() }
    try folder.copyStore("copy/backup", to: "a/store.sqlite", withToken: false)
    let device = try await open("a", .cloud, follows: false)
    let old = try await identity(device)
    try await device.synced.use(
      CountingTransport(MemoryTransport(cloud: cloud, isEphemeral: false)))

    try await device.sync()

    #expect(try await identity(device) != old)
    #expect(try await identity(device).device == old.device)
  }

  // MARK: Cloned

  @Test(arguments: Way.allCases, [false, true])
  func `F16: a copy that lives on beside its original has an identity of its own`(
    way: Way, withToken: Bool
  ) async throws {
    try await run("a", way) { device in
      try await device.insert("before")
      try await device.sync()
    }
    try folder.copyStore("a/store.sqlite", to: "copy/store.sqlite", withToken: withToken)

    for round in 0..<2 {
      for place in ["a", "copy"] {
        try await run(place, way) { device in
          try await device.insert("\(place) \(round)")
          #expect(try await device.sync().error == nil)
        }
      }
    }

    let all: Set<String> = ["before", "a 0", "a 1", "copy 0", "copy 1"]
    #expect(try await reader(way).names() == all)
    let (original, copy) = (try await open("a", way), try await open("copy", way))
    for one in [original, copy] {
      try await one.sync()
      #expect(try await one.names() == all)
    }
    #expect(try await identity(original) != identity(copy))
  }

  @Test func `C30: a copy without the token parts from its original before either sends`()
    async throws
  {
    try await run("a", .folder) { device in
      try await device.insert("before")
      try await device.sync()
    }
    try folder.copyStore("a/store.sqlite", to: "copy/store.sqlite", withToken: false)
    let (original, copy) = (try await open("a", .folder), try await open("copy", .folder))
    let old = try await identity(original)

    for one in [original, copy] { try await one.synced.engines.first?.start() }

    #expect(try await identity(original) == old)
    #expect(try await identity(copy) != old)
  }

  // MARK: Not copied

  @Test func `a store that is moved with its token keeps its identity`() async throws {
    try await run("a", .folder) { device in
      try await device.insert("one")
      try await device.sync()
    }
    let old = try Data(contentsOf: URL(fileURLWithPath: folder.path("a/store.sqlite-install")))
    try folder.copyStore("a/store.sqlite", to: "copy/store.sqlite", withToken: true)
    try folder.remove("a")
    let device = try await open("copy", .folder)
    let identity = try await identity(device)

    try await device.sync()

    #expect(try await self.identity(device) == identity)
    let new = try Data(contentsOf: URL(fileURLWithPath: folder.path("copy/store.sqlite-install")))
    #expect(new != old)
  }

  @Test func `a store that did not know of tokens gets one and keeps its identity`() async throws {
    try await run("a", .cloud, follows: false) { try await $0.insert("one") }
    let device = try await open("a", .cloud)
    let old = try await identity(device)

    try await device.sync()

    #expect(try await identity(device) == old)
    #expect(try folder.names(in: "a").contains("store.sqlite-install"))
    #expect(try await reader(.cloud).names() == ["one"])
  }

  @Test(arguments: 1...3)
  func `a process that ends before the token is written beside the store is no restore`(
    times: Int
  ) async throws {
    try await run("a", .cloud) { try await $0.sync() }
    var old: DeviceID?
    let file = "a/store.sqlite-install"
    let kept = try folder.bytes(file)
    for _ in 0..<times {
      try await run("a", .cloud) { device in
        old = try await identity(device)
        try await device.sync()
        #expect(try await identity(device) == old)
      }
      // As if the store had been committed and the file not.
      try folder.write(kept, to: file)
    }
    let device = try await open("a", .cloud)
    try await device.sync()

    #expect(try await identity(device) == old)
  }

  @Test func `a token that cannot be written stops sync with the reason, and nothing else`()
    async throws
  {
    try await run("a", .cloud) { try await $0.sync() }
    try folder.remove("a/store.sqlite-install")
    try folder.makeFolder("a/store.sqlite-install")
    let device = try await open("a", .cloud)
    try await device.insert("one")

    let error = await #expect(throws: StorageError.self) { try await device.sync() }

    #expect(error?.message.contains("store.sqlite-install") == true)
    #expect(try await device.names() == ["one"])
    try folder.remove("a/store.sqlite-install")
    #expect(try await device.sync().exported == 1)
  }

  @Test func `a store in memory needs no token`() async throws {
    let device = try await PeerDevice("a", time, following: [transport(.cloud)])
    let old = try await identity(device)

    try await device.sync()

    #expect(try await identity(device) == old)
    #expect(!FileManager.default.fileExists(atPath: device.store.path + "-install"))
  }
}
