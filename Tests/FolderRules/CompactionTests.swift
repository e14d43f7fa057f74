import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A device's own part of a folder follows what it still has to say, and loses nothing (C10).
struct CompactionTests {
  private let space = try? TemporaryFolder()
  private let time = TestTime()

  private func folder() throws -> String { try #require(space).url.path }

  @Test func `many edits of one record leave few files and one value`() async throws {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    try await phone.insert(record(1), "edit 0")
    for number in 1...40 {
      time.advance()
      try await phone.rename(record(1), "edit \(number)")
      try await phone.sync()
    }
    #expect(try await phone.segments().count <= 3)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await laptop.sync()
    #expect(try await laptop.names() == [record(1): "edit 40"])
  }

  @Test func `with the usual limits many cycles leave few files`() async throws {
    var limits = DirectoryLimits()
    limits.replacedStays = 0
    let phone = try await FolderDevice("phone", folder(), time, limits)
    for number in 0..<100 {
      time.advance()
      try await phone.insert(record(UInt64(number)), "item \(number)")
      try await phone.sync()
    }
    let count = try await phone.segments().count
    #expect(count < 2 * limits.looseGroups, "there are \(count) files")
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await laptop.sync()
    #expect(try await laptop.names().count == 100)
  }

  @Test func `a file that was replaced stays until all have read it, or for a while`() async throws
  {
    var limits = DirectoryLimits.tidy
    limits.replacedStays = 60_000
    let phone = try await FolderDevice("phone", folder(), time, limits)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "one")
    try await phone.sync()
    try await laptop.sync()
    let first = try #require(try await phone.segments().first)
    time.advance()
    try await phone.rename(record(1), "two")
    try await phone.sync()
    // The laptop has reported the first group only: the second stays, too.
    let both = try await phone.segments()
    #expect(!both.contains(first))
    #expect(both.count == 2)
    time.advance(60_000)
    try await phone.sync()
    #expect(try await phone.segments().count == 1)
    try await laptop.sync()
    #expect(try await laptop.names() == [record(1): "two"])
  }

  @Test func `C10a: what was dropped for another's value comes back when the other's files go`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await phone.insert(record(1), "of the phone")
    try await phone.sync()
    try await laptop.sync()
    time.advance()
    try await laptop.rename(record(1), "of the laptop")
    try await laptop.sync()
    try await phone.sync()
    time.advance()
    try await phone.insert(record(2), "another")
    try await phone.sync()
    let texts = try folder().allFiles().map { file in
      String(decoding: try #require(space).bytes(file), as: UTF8.self)
    }
    #expect(!texts.contains { $0.contains("of the phone") })

    let laptopID = try await laptop.id()
    for file in try await laptop.segments() { try folder().remove(file) }
    try await phone.sync()
    time.advance(DirectoryLimits().lackPatience * 2)
    try await phone.sync()

    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names()[record(1)] == "of the laptop")
    #expect(try folder().segments(of: laptopID).isEmpty)
  }

  @Test func `C10b: an edit that is not published drops nothing that is`() async throws {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    try await phone.insert(record(1), "published")
    try await phone.sync()
    time.advance()
    try await phone.insert(record(2), "second")
    try await phone.sync()
    time.advance()
    // Saved after the cycle's export, before its tidying: never published, since the phone dies.
    try await phone.rename(record(1), "not published")
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names()[record(1)] == "published")
  }

  @Test func `C10c: a death stays when all have read it and everything was gathered`() async throws
  {
    let phone = try await FolderDevice("phone", folder(), time)
    let laptop = try await FolderDevice("laptop", folder(), time, .tidy)
    try await phone.insert(record(1), "short-lived")
    try await phone.sync()
    try await laptop.sync()
    time.advance()
    try await laptop.delete(record(1))
    for number in 2...5 {
      try await laptop.insert(record(UInt64(number)), "more")
      try await laptop.sync()
      time.advance()
    }
    try await phone.sync()
    try await laptop.sync()
    #expect(try await laptop.segments().count <= 2)
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    #expect(try await tablet.names()[record(1)] == nil)
    #expect(try await tablet.names().count == 4)
  }

  @Test func `C10d: of a record that two have written each keeps what is still its own`()
    async throws
  {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    let laptop = try await FolderDevice("laptop", folder(), time, .tidy)
    try await phone.insert(record(1), "name of the phone")
    try await phone.sync()
    try await laptop.sync()
    time.advance()
    try await laptop.store.write {
      try $0.update("TodoItem", record(1), values: ["done": .integer(1)])
    }
    for number in 2...4 {
      try await laptop.insert(record(UInt64(number)), "more")
      try await laptop.sync()
      try await phone.sync()
      time.advance()
      try await phone.insert(record(UInt64(number + 10)), "more")
      try await phone.sync()
    }
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await tablet.sync()
    let found = try await tablet.store.read { try $0.record("TodoItem", record(1)) }
    #expect(found?["name"] == .text("name of the phone"))
    #expect(found?["done"] == .integer(1))
  }

  @Test func `conflicts that a device has not read yet outlive the gathering`() async throws {
    let phone = try await FolderDevice("phone", folder(), time, .tidy)
    let laptop = try await FolderDevice("laptop", folder(), time)
    let tablet = try await FolderDevice("tablet", folder(), time)
    try await phone.insert(record(1), "first")
    try await phone.sync()
    try await laptop.sync()
    try await tablet.sync()
    time.advance()
    try await laptop.rename(record(1), "loser")
    try await laptop.sync()
    time.advance()
    try await phone.rename(record(1), "winner")
    for number in 2...5 {
      try await phone.sync()
      time.advance()
      try await phone.insert(record(UInt64(number)), "more")
    }
    try await phone.sync()
    #expect(try await phone.lost() == ["loser"])
    try await tablet.sync()
    #expect(try await tablet.lost() == ["loser"])
  }

  @Test func `large parts are gathered piece by piece into files of a bounded size`() async throws {
    var limits = DirectoryLimits(partBytes: 2000)
    limits.looseGroups = 4
    limits.replacedStays = 0
    let phone = try await FolderDevice("phone", folder(), time, limits)
    let text = String(repeating: "x", count: 200)
    for round in 0..<8 {
      for number in 0..<12 {
        let id = record(UInt64(100 * round + number))
        try await phone.insert(id, "\(text) \(round) \(number)")
      }
      time.advance()
      try await phone.sync()
    }
    let files = try await phone.segments()
    #expect(files.contains { $0.contains(".p2-") })
    let laptop = try await FolderDevice("laptop", folder(), time)
    try await laptop.sync()
    #expect(try await laptop.names() == phone.names())
  }
}
