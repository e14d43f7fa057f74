import Strandline
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What a person is told before the switch is turned.
struct ConsequenceTests {
  @Test func `records, changes that nobody else has, and other devices are counted and named`()
    async throws
  {
    let scene = try PurgeScene(.directory)
    let (a, b) = try await scene.pair()
    for device in [b, a] { try await device.settle() }
    try await a.insert("salt")

    let found = try await a.synced.consequences(of: .offWithPurge)

    #expect(found.records == 3)
    #expect(found.unsent == 1)
    let zone = try #require(found.zones.first)
    #expect(zone.hasCopy && zone.isFolder)
    #expect(zone.devices.map(\.name) == ["b"])
    let text = found.sentences { _ in "then" }.joined(separator: " ")
    #expect(text.contains("1 record has changes that are only on this device"), "\(text)")
    #expect(text.contains("b (last heard from then)"), "\(text)")
    #expect(text.contains("Versions and backups that something keeps of the folder"), "\(text)")
    #expect(text.contains("Nothing is deleted on this device"), "\(text)")
  }

  @Test func `changes that one of two peers has are not only here`() async throws {
    let scene = try PurgeScene(.directory)
    let a = try await scene.device("a")
    let other = try PurgeScene(.memory)
    try await a.insert("milk")
    try await a.settle()
    try await a.synced.follow(other.transport())

    #expect(try await a.synced.consequences(of: .off).unsent == 0)
    try await a.insert("bread")
    #expect(try await a.synced.consequences(of: .off).unsent == 1)
  }

  @Test func `switching on after a purge says that everything goes up again`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    #expect(try await !a.synced.consequences(of: .on).changesAnything)
    try await a.synced.switchOff(purge: false)
    #expect(try await !a.synced.consequences(of: .on).isWorthAsking)
    try await a.synced.switchOff(purge: true)
    #expect(try await a.synced.consequences(of: .on).pendingPurges == ["memory"])
    try await a.synced.purge()

    let found = try await a.synced.consequences(of: .on)

    #expect(found.isWorthAsking)
    let text = found.sentences { _ in "" }.joined(separator: " ")
    #expect(text.contains("2 records of this device go to 'memory'"), "\(text)")
  }

  @Test func `to ask for the consequences changes nothing`() async throws {
    let scene = try PurgeScene(.memory)
    let (a, _) = try await scene.pair()
    let before = try await a.switchState()
    let head = try await a.logHead()
    let events = try await a.store.events().count

    for change in [SwitchChange.on, .off, .offWithPurge] {
      _ = try await a.synced.consequences(of: change)
    }

    #expect(try await a.switchState() == before)
    #expect(try await a.logHead() == head)
    #expect(try await a.store.events().count == events)
  }
}
