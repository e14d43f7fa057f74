import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ArrivalTests {
  /// Five segments of three devices, each made by a device that had read those before.
  private func chain(in folder: TestFolder) async throws -> [String] {
    var phone = try await TestDevice("phone", 1, in: folder)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    var watch = try await TestDevice("watch", 4, in: folder)
    var files: [String] = []
    func note() throws { files += try folder.segments().filter { !files.contains($0) } }
    try await phone.publish("1")
    try note()
    _ = try await tablet.fetch()
    try await tablet.publish("2")
    try note()
    _ = try await watch.fetch()
    try await watch.publish("3")
    try note()
    _ = try await phone.fetch()
    try await phone.publish("4")
    try note()
    _ = try await tablet.fetch()
    try await tablet.publish("5")
    try note()
    return files
  }

  private func permutations(_ items: [Int]) -> [[Int]] {
    guard items.count > 1 else { return [items] }
    return items.flatMap { first in
      permutations(items.filter { $0 != first }).map { [first] + $0 }
    }
  }

  @Test func `files that arrive in any order are applied in the order of their making`()
    async throws
  {
    let source = try TestFolder()
    let files = try await chain(in: source)
    try #require(files.count == 5)
    let others = try source.files().filter { !files.contains($0) }
    for order in permutations([0, 1, 2, 3, 4]) {
      let carried = try TestFolder()
      for file in others { try source.carry(file, to: carried) }
      var laptop = try await TestDevice("laptop", 2, in: carried)
      var applied: [String] = []
      var arrived: Set<Int> = []
      for index in order {
        try source.carry(files[index], to: carried)
        arrived.insert(index)
        applied += try await laptop.fetch()

        let expected = (0..<5).prefix { arrived.contains($0) }.map { "\($0 + 1)" }
        #expect(applied == expected, "order \(order)")
        #expect(laptop.waitingFor.isEmpty == (applied.count == arrived.count), "order \(order)")
      }
    }
  }

  @Test func `a segment waits for what its writer had read`() async throws {
    let (source, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: source)
    var tablet = try await TestDevice("tablet", 3, in: source)
    try await phone.publish("a", "b")
    let file = try #require(source.segments().first)
    _ = try await tablet.fetch()
    try await tablet.publish("c")
    try source.carryAll(to: carried)
    try carried.remove(file)
    var laptop = try await TestDevice("laptop", 2, in: carried)

    #expect(try await laptop.fetch() == [])
    #expect(
      laptop.waitingFor == [
        "Waiting for files of device \(phone.info.id) (changes 1 to 2), which tablet has read."
      ])
    try source.carry(file, to: carried)
    #expect(try await laptop.fetch() == ["a", "b", "c"])
    #expect(laptop.waitingFor == [])
  }

  @Test func `a gap in one writer's files is named and the others go on`() async throws {
    let (source, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: source)
    var tablet = try await TestDevice("tablet", 3, in: source)
    try await phone.publish("a")
    try await phone.publish("b", "c")
    try await phone.publish("d")
    try await tablet.publish("e")
    try source.carryAll(to: carried)
    let middle = try source.segments()[1]
    try carried.remove(middle)
    var laptop = try await TestDevice("laptop", 2, in: carried)

    #expect(try await laptop.fetch() == ["a", "e"])
    #expect(laptop.waitingFor == ["Waiting for 1 file of phone (changes 2 to 3)."])
    try source.carry(middle, to: carried)
    #expect(try await laptop.fetch() == ["b", "c", "d"])
  }

  @Test func `what a device reports to have read is waited for`() async throws {
    let (source, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: source)
    var tablet = try await TestDevice("tablet", 3, in: source)
    try await phone.publish("a")
    _ = try await tablet.fetch()
    _ = try await tablet.receipts()
    try source.carryAll(to: carried)
    try carried.remove(try #require(source.segments().first))
    var laptop = try await TestDevice("laptop", 2, in: carried)

    #expect(try await laptop.fetch() == [])
    #expect(
      laptop.waitingFor == [
        "Waiting for files of device \(phone.info.id) (change 1), which tablet has read."
      ])
  }

  @Test func `files that vanish again delete nothing and are not read twice`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    try await phone.publish("a")
    _ = try await laptop.fetch()
    let file = try #require(folder.segments().first)
    let bytes = try folder.read(file)
    try folder.remove(file)

    #expect(try await laptop.fetch() == [])
    try folder.write(bytes, to: file)
    #expect(try await laptop.fetch() == [])
  }
}
