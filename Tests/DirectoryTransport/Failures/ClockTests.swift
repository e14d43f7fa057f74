import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Clocks and times of change, which decide nothing in a folder.
@Suite struct ClockTests {
  @Test(arguments: Seeds.all)
  func `the times of files may be anything`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    var expected: [String] = []
    var came: [String] = []
    for round in 0..<12 {
      try await phone.publish("\(round) phone")
      _ = try await tablet.fetch()
      try await tablet.publish("\(round) tablet")
      expected += ["\(round) phone", "\(round) tablet"]
      for file in try folder.files() {
        let seconds = Int.random(in: 0...4_000_000_000, using: &random)
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, folder.path + "/" + file, times, 0) == 0)
      }
      if Bool.random(using: &random) { came += try await laptop.fetch() }
      _ = try await phone.fetch()
    }
    came += try await laptop.fetch()

    #expect(came == expected, "seed \(seed)")
    #expect(laptop.waitingFor == [], "seed \(seed)")
  }

  @Test(arguments: [(0, .max / 2), (.max / 2, 0), (-5, 4_000_000_000_000)] as [(Int64, Int64)])
  func `devices whose clocks are years apart follow each other`(
    here: Int64, there: Int64
  ) async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder, now: here)
    var laptop = try await TestDevice("laptop", 2, in: folder, now: there)

    for round in 0..<3 {
      try await phone.publish("\(round) phone")
      #expect(try await laptop.fetch() == ["\(round) phone"])
      try await laptop.publish("\(round) laptop")
      #expect(try await phone.fetch() == ["\(round) laptop"])
    }
    _ = try await laptop.receipts()
    #expect(try await phone.receipts().map(\.position) == [3])
  }

  @Test func `changes from far ahead are not read, their device is named, the others go on`()
    async throws
  {
    let (folder, day) = (try TestFolder(), Int64(86_400_000))
    let now: Int64 = 1_750_000_000_000
    var phone = try await TestDevice("phone", 1, in: folder, now: now + 400 * day)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    phone.sequence = 1
    let ahead = Stamp(milliseconds: now + 3 * day)
    _ = try await phone.transport.send(phone.page(["ahead"], stamp: ahead))
    phone.acknowledged = 1
    try await phone.publish("after it")
    try await tablet.publish("from tablet")

    for expected in [["from tablet"], []] {
      #expect(try await laptop.fetch() == expected)
      #expect(laptop.waitingFor.count == 1)
      #expect(
        laptop.waitingFor.first?.contains("the clock of that device was 3 days ahead") == true)
    }
    #expect(try folder.segments().count == 3)
    // A day is within what clocks that nobody compares may differ.
    var near = try await TestDevice("near", 4, in: folder)
    near.sequence = 1
    _ = try await near.transport.send(
      near.page(["near"], stamp: Stamp(milliseconds: now + day)))
    #expect(try await laptop.fetch() == ["near"])
  }

  @Test func `a device whose clock was set back does not publish what lies ahead`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    phone.sequence = 1
    let page = phone.page(["ahead"], stamp: Stamp(milliseconds: 1_750_000_000_000 + 864_000_000))

    let error = await #expect(throws: TransportError.self) {
      _ = try await phone.transport.send(page)
    }

    #expect(error?.code == .clockSkew)
    #expect(error?.remedy == .fixClock)
    #expect(error?.message.contains("10 days ahead of this device's clock") == true)
    #expect(try folder.segments() == [])
  }
}
