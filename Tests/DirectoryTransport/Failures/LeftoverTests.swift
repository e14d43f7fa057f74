import Foundation
import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

/// Files that a device had begun to write when it was stopped.
@Suite struct LeftoverTests {
  private func leftover(_ device: DeviceID, _ token: String) -> String {
    ".\(device).\(token).tmp"
  }

  @Test func `leftovers of all epochs of a device are removed, those of others are not`()
    async throws
  {
    let folder = try TestFolder()
    let old = try await TestDevice("phone", 1, in: folder, epoch: 7)
    var before = old
    try await before.publish("a")
    let other = DeviceID(device: 2, epoch: 7)
    var mine: [String] = []
    var others: [String] = []
    for place in ["", "zones/notes/", "zones/notes/i1/ack/", "zones/notes/i1/w/\(old.info.id)/"] {
      mine += [
        place + leftover(old.info.id, "1f"), place + leftover(DeviceID(device: 1, epoch: 9), "2"),
      ]
      others += [place + leftover(other, "3"), place + ".\(old.info.id).x", place + ".x.y.tmp"]
    }
    for file in mine + others { try folder.write([1], to: file) }

    _ = try await TestDevice("phone", 1, in: folder, epoch: 9, expected: old.zone)

    let left = Set(try folder.files())
    #expect(left.isDisjoint(with: mine))
    #expect(left.isSuperset(of: others))
    #expect(try folder.segments().count == 1)
  }

  @Test func `a leftover that stands under another device's folder is not looked for`()
    async throws
  {
    let folder = try TestFolder()
    let phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await laptop.publish("a")
    let file = "zones/notes/i1/w/\(laptop.info.id)/\(leftover(phone.info.id, "1"))"
    try folder.write([1], to: file)

    _ = try await TestDevice("phone", 1, in: folder, expected: phone.zone)

    #expect(try folder.files().contains(file))
  }
}

/// The file for people.
@Suite struct ReadmeTests {
  @Test func `the first device leaves word what the folder is`() async throws {
    let folder = try TestFolder()
    _ = try await TestDevice("phone", 1, in: folder)

    let text = String(decoding: try folder.read("README.txt"), as: UTF8.self)

    #expect(text.contains("Strandline"))
    #expect(text.contains("do not rename, edit or delete"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `what a person made of it or in its place is left alone`() async throws {
    let folder = try TestFolder()
    try folder.write(Array("mine".utf8), to: "README.txt")
    _ = try await TestDevice("phone", 1, in: folder)
    #expect(try folder.read("README.txt") == Array("mine".utf8))

    let linked = try TestFolder()
    try FileManager.default.createSymbolicLink(
      atPath: linked.path + "/README.txt", withDestinationPath: "/nowhere/at/all")
    _ = try await TestDevice("phone", 1, in: linked)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: linked.path + "/README.txt")
        == "/nowhere/at/all")
  }

  @Test func `it does not come back for somebody who deleted it`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try folder.remove("README.txt")

    try await phone.reopen()
    try await phone.publish("a")
    _ = try await TestDevice("laptop", 2, in: folder)

    #expect(try !folder.files().contains("README.txt"))
  }
}
