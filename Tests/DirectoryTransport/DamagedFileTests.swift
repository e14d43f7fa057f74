import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct DamagedFileTests {
  private struct Scene {
    let source: TestFolder
    let carried: TestFolder
    var laptop: TestDevice
    let file: String
    let bytes: [UInt8]
  }

  /// A phone's one segment that is being carried, beside a whole one of the tablet.
  private func scene() async throws -> Scene {
    let (source, carried) = (try TestFolder(), try TestFolder())
    var phone = try await TestDevice("phone", 1, in: source)
    try await phone.publish("milk")
    let file = try #require(source.segments().first)
    try source.carryAll(to: carried)
    var tablet = try await TestDevice("tablet", 3, in: carried)
    try await tablet.publish("from tablet")
    let laptop = try await TestDevice("laptop", 2, in: carried)
    return Scene(
      source: source, carried: carried, laptop: laptop, file: file,
      bytes: try source.read(file))
  }

  @Test func `a file that is cut at any byte is waited for and later read`() async throws {
    var scene = try await scene()
    let name = try #require(scene.file.split(separator: "/").last)
    try scene.carried.write([], to: scene.file)
    #expect(try await scene.laptop.fetch() == ["from tablet"])
    for count in 0..<scene.bytes.count {
      try scene.carried.write(Array(scene.bytes[..<count]), to: scene.file)

      #expect(try await scene.laptop.fetch() == [], "\(count) bytes")
      #expect(
        scene.laptop.waitingFor.map { $0.replacing(/device [0-9a-f-]+/, with: "D") } == [
          "Waiting for 1 file of D (change 1), it has not arrived whole: \(name)."
        ], "\(count) bytes")
    }
    try scene.source.carry(scene.file, to: scene.carried)

    #expect(try await scene.laptop.fetch() == ["milk"])
    #expect(scene.laptop.waitingFor == [])
  }

  @Test func `a file whose end is still zeros is waited for`() async throws {
    var scene = try await scene()
    for count in stride(from: 0, to: scene.bytes.count - 16, by: 7) {
      let zeros = [UInt8](repeating: 0, count: scene.bytes.count - count)
      try scene.carried.write(scene.bytes[..<count] + zeros, to: scene.file)
      _ = try await scene.laptop.fetch()

      #expect(scene.laptop.waitingFor.count == 1, "\(count) bytes")
    }
    try scene.source.carry(scene.file, to: scene.carried)
    #expect(try await scene.laptop.fetch() == ["milk"])
  }

  @Test func `a changed bit anywhere is named and the others go on`() async throws {
    var scene = try await scene()
    let name = try #require(scene.file.split(separator: "/").last)
    var came: [String] = []
    for index in scene.bytes.indices {
      var bytes = scene.bytes
      bytes[index] ^= 1 << UInt8(index % 8)
      try scene.carried.write(bytes, to: scene.file)
      came += try await scene.laptop.fetch()

      let sentence = try #require(scene.laptop.waitingFor.first, "byte \(index)")
      #expect(sentence.hasSuffix(": \(name)."), "byte \(index)")
      #expect(scene.laptop.waitingFor.count == 1, "byte \(index)")
    }
    #expect(came == ["from tablet"])
  }

  @Test func `a damaged file does not hide an earlier one and stops what follows`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    try await phone.publish("c")
    let file = try folder.segments()[1]
    let bytes = try folder.read(file)
    try folder.write(bytes.dropLast(20) + [UInt8](repeating: 7, count: 20), to: file)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == ["a"])
    #expect(laptop.waitingFor.count == 1)
    #expect(laptop.waitingFor.first?.hasPrefix("Waiting for 1 file of phone (change 2)") == true)
    try folder.write(bytes, to: file)
    #expect(try await laptop.fetch() == ["b", "c"])
  }

  @Test func `a file swapped with another writer's is not applied`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var tablet = try await TestDevice("tablet", 3, in: folder)
    try await phone.publish("a")
    let file = try #require(folder.segments().first)
    try await tablet.publish("b")
    let moved = file.replacing("\(phone.info.id)", with: "\(DeviceID(device: 4, epoch: 4))")
    try folder.write(folder.read(file), to: moved)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(try await laptop.fetch() == ["a", "b"])
    #expect(laptop.waitingFor.map { $0.contains("it belongs to another") } == [true])
  }

  @Test func `a newer format is named and the others go on`() async throws {
    var scene = try await scene()
    let forged = scene.file.reforged(scene.bytes) { $0[7] = 2 }
    try scene.carried.remove(scene.file)
    try scene.carried.write(forged.bytes, to: forged.file)

    #expect(try await scene.laptop.fetch() == ["from tablet"])
    #expect(
      scene.laptop.waitingFor.map {
        $0.contains("it is in format 2 and this version reads up to 1")
      } == [true])
  }
}
