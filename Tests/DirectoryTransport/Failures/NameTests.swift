import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Names that every file system takes and keeps apart.
@Suite struct NameTests {
  private static let reserved = Set(
    ["con", "prn", "aux", "nul"] + (0...9).flatMap { ["com\($0)", "lpt\($0)"] })

  /// What is wrong with a name on some system; nil where every system can hold it.
  static func fault(_ name: Substring) -> String? {
    if name.utf8.count >= 100 { return "too long" }
    if name.wholeMatch(of: /[0-9a-z._-]+/) == nil { return "not plain" }
    if name.hasSuffix(".") { return "ends in a dot" }
    let stem = name.prefix { $0 != "." }
    return reserved.contains(String(stem)) ? "reserved" : nil
  }

  private func zoneName(using random: inout SeededGenerator) -> String {
    let pieces = [
      "con", "NUL", "com1", "lpt9", ".", "..", " ", "/", "\\", ":", "*", "é", "e\u{301}", "ß",
      "文字", "😀", "\u{0}", "\n", "~", "%", "_", "-", "a", "B", "9", "\u{202e}",
      String(repeating: "x", count: 90), "aux.", "i1", "space", "notes",
    ]
    let count = Int.random(in: 0...6, using: &random)
    return (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
  }

  @Test(arguments: Seeds.all)
  func `whatever zones and devices are called, all names can stand in every folder`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    for round in 0..<20 {
      let zone = zoneName(using: &random)
      let device = random.next()
      var phone = try await TestDevice(
        zoneName(using: &random), device, in: folder,
        epoch: UInt32(truncatingIfNeeded: random.next()), zoneName: zone,
        limits: DirectoryLimits(partBytes: round.isMultiple(of: 2) ? 1 : 1 << 20))
      phone.sequence = Int64.random(in: 1 ... .max / 2, using: &random)
      phone.acknowledged = 0
      try await phone.publish("a", "b")
      _ = try await phone.receipts()
      if round.isMultiple(of: 3) {
        try await phone.transport.purge(PurgeRequest(device: phone.info, zone: phone.zone))
      }
    }

    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    for path in paths where path != "README.txt" {
      for name in path.split(separator: "/") {
        #expect(Self.fault(name) == nil, "seed \(seed): \(name)")
      }
    }
  }

  @Test(arguments: Seeds.all)
  func `zones with different names have different folders, also where case does not count`(
    seed: UInt64
  ) async throws {
    var random = SeededGenerator(seed: seed)
    let folder = try TestFolder()
    var zones: [ZoneID: [UInt8]] = [:]
    for number in 0..<40 {
      let name = zoneName(using: &random)
      let phone = try await TestDevice("phone", UInt64(number), in: folder, zoneName: name)
      // One zone has one name: two that differ only in the form of a letter are two.
      let known = zones.updateValue(Array(name.utf8), forKey: phone.zone)
      #expect(known == nil || known == Array(name.utf8), "seed \(seed)")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/zones")
    #expect(Set(names.map { $0.lowercased() }).count == zones.count, "seed \(seed)")
  }

  @Test(
    .enabled(if: Mount.isIgnoringCasePossible, "no file system that ignores case can be mounted"))
  func `a stick that ignores case carries zones that differ only in case`() async throws {
    let stick = try await Mount.ignoringCase()
    let folder = TestFolder(at: stick.folder)
    #expect(close(open(stick.folder + "/probe", O_WRONLY | O_CREAT, 0o600)) == 0)
    try #require(access(stick.folder + "/PROBE", F_OK) == 0, "it does not ignore case")

    var lower = try await TestDevice("phone", 1, in: folder, zoneName: "notes")
    var upper = try await TestDevice("phone", 1, in: folder, zoneName: "Notes")
    var reader = try await TestDevice("laptop", 2, in: folder, zoneName: "Notes")
    try await lower.publish("lower")
    try await upper.publish("upper")
    try await upper.publish("more")

    #expect(lower.zone != upper.zone)
    #expect(try await reader.fetch() == ["upper", "more"])
    _ = try await reader.receipts()
    _ = try await reader.receipts()
    #expect(try await upper.receipts().map(\.position) == [2])
    #expect(reader.waitingFor == [])
    try await stick.end()
  }

  @Test func `names that differ only in case from real ones are copies and do no harm`()
    async throws
  {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    let upper = file.split(separator: "/").last.map { String($0).uppercased() } ?? ""
    let place = file.split(separator: "/").dropLast().joined(separator: "/")
    try folder.write([1, 2, 3], to: place + "/" + upper)
    try folder.write([1, 2, 3], to: "zones/NOTES/" + upper)
    try folder.write([1, 2, 3], to: "zones/notes/i1/w/\(phone.info.id)".uppercased())

    #expect(try await laptop.fetch() == ["a"])
    #expect(laptop.waitingFor == [])
  }
}
