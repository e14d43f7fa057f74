import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Devices that nobody hears of any more leave the folder, and nothing that they wrote does (C10).
struct RetirementTests {
  private let space = try? TemporaryFolder()
  private let time = TestTime()

  private func folder() throws -> String { try #require(space).url.path }

  /// Three devices that have read each other, of which the third falls silent.
  private func fleet() async throws -> [FolderDevice] {
    var limits = DirectoryLimits.calm
    limits.replacedStays = 0
    var devices: [FolderDevice] = []
    for (number, name) in ["phone", "laptop", "old"].enumerated() {
      let device = try await FolderDevice(name, folder(), time, limits)
      try await device.insert(record(UInt64(number)), "of \(name)")
      try await device.sync()
      devices.append(device)
    }
    for device in devices { try await device.sync() }
    return devices
  }

  private func live(_ devices: ArraySlice<FolderDevice>, rounds: Int = 3) async throws {
    for round in 0..<rounds {
      for device in devices {
        time.advance()
        try await device.insert(RecordID(), "\(device.name) \(round)")
        try await device.sync()
      }
    }
  }

  @Test func `a device that was silent for long is taken over and its files are removed`()
    async throws
  {
    let devices = try await fleet()
    let old = try await devices[2].id()
    try await live(devices[..<2])
    #expect(try folder().segments(of: old).count == 1)
    time.advance(DirectoryLimits().retiresAfter * 2)
    try await live(devices[..<2])
    #expect(try folder().allFiles().filter { $0.contains("\(old)") }.isEmpty)
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names()[record(2)] == "of old")
    #expect(try await tablet.names() == devices[1].names())
    #expect(try await tablet.said().waitingFor == [])
  }

  @Test func `a device that returns after it was retired loses nothing`() async throws {
    let devices = try await fleet()
    let old = try await devices[2].id()
    time.advance(DirectoryLimits().retiresAfter * 2)
    try await live(devices[..<2])
    try await devices[2].insert(record(7), "written meanwhile")
    try await devices[2].rename(record(2), "renamed meanwhile")
    for _ in 0..<2 {
      try await devices[2].sync()
      time.advance(DirectoryLimits().lackPatience * 2)
    }
    try await devices[0].sync()
    #expect(try await devices[2].id() != old)
    #expect(try await devices[0].names()[record(7)] == "written meanwhile")
    #expect(try await devices[0].names()[record(2)] == "renamed meanwhile")
    #expect(try await devices[0].names() == devices[2].names())
  }

  @Test func `a clock that is a year ahead retires nobody`() async throws {
    let devices = try await fleet()
    let year: Int64 = 365 * 86_400_000
    let ids = [try await devices[0].id(), try await devices[2].id()]
    time.set("laptop", ahead: year)
    try await live(devices[..<2])
    for id in ids { #expect(try !folder().segments(of: id).isEmpty) }
  }

  @Test func `of two devices none is retired, however long one is silent`() async throws {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await laptop.insert(record(1), "of the laptop")
    try await laptop.sync()
    try await phone.sync()
    time.advance(DirectoryLimits().retiresAfter * 10)
    try await phone.insert(record(2), "of the phone")
    try await phone.sync()
    try await phone.sync()
    #expect(try await laptop.segments().count == 1)
  }

  @Test func `a device that only read and is gone holds no file back`() async throws {
    var limits = DirectoryLimits.tidy
    limits.replacedStays = .max
    let phone = try await FolderDevice("phone", folder(), time, limits)
    let laptop = try await FolderDevice("laptop", folder(), time, .calm)
    let reader = try await FolderDevice("reader", folder(), time)
    try await phone.insert(record(1), "of the phone")
    try await phone.sync()
    try await reader.sync()
    time.advance(DirectoryLimits().retiresAfter * 2)
    for number in 2...5 {
      try await phone.insert(record(UInt64(number)), "of the phone")
      try await phone.sync()
      try await laptop.insert(record(UInt64(number + 10)), "of the laptop")
      try await laptop.sync()
      time.advance()
    }
    try await phone.insert(record(9), "of the phone")
    for _ in 0..<2 {
      try await phone.sync()
      try await laptop.sync()
      time.advance(3_600_000)
    }
    try await phone.sync()
    let files = try await phone.segments()
    #expect(files.count <= 2, "\(files)")
    let id = try await reader.id()
    #expect(try !folder().allFiles().contains { $0.contains("\(id)") })
  }
}
