import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct ServerFileTests {
  @Test func `what was sent is there after the file was closed`() throws {
    var cloud = try FileCloud()
    let note = cloud.note("a", ["name": .text("milk"), "done": .integer((1 << 53) + 1)])
    try cloud.send(1, [note])

    try cloud.reopen()

    #expect(try cloud.fetch(2).changes.map(\.delta) == [note])
    #expect(try cloud.authority.storage.identity() == ServerIdentity(id: "cloud", incarnation: 1))
  }

  @Test func `a file of a later version is refused and left as it is`() throws {
    let cloud = try FileCloud()
    let path = cloud.authority.storage.path
    try Connection(path: path, readOnly: false).execute("PRAGMA user_version = 99")

    #expect(refusal { _ = try FileCloud.open(cloud.data) } == .incompatibleVersion)
    #expect(try Connection(path: path, readOnly: true).integer("PRAGMA user_version") == 99)
  }

  @Test func `a database of something else is refused`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("data")
    let path = folder.path("data/" + SQLiteServerStorage.fileName)
    try Connection(path: path, readOnly: false, create: true).execute("CREATE TABLE other(a)")

    #expect(refusal { _ = try FileCloud.open(folder.path("data")) } == .damaged)
  }

  @Test func `a file that is no database is refused as damaged`() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      String(repeating: "no database ", count: 100), to: "data/" + SQLiteServerStorage.fileName)

    #expect(refusal { _ = try FileCloud.open(folder.path("data")) } == .damaged)
  }

  @Test func `data that is missing is not made where only a command looks at it`() throws {
    let folder = try TemporaryFolder()

    let code = refusal {
      _ = try SQLiteServerStorage(
        folder: folder.path("data"), create: false, ownsCheckpoints: false)
    }

    #expect(code == .zoneNotFound)
    #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
  }

  @Test func `only its owner can look into the data`() throws {
    let cloud = try FileCloud()

    func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    #expect(try rights(cloud.data) == 0o700)
    for suffix in ["", "-wal", "-shm"] {
      #expect(try rights(cloud.authority.storage.path + suffix) == 0o600)
    }
  }

  @Test func `a transaction that is given up leaves nothing, not even a name`() throws {
    var cloud = try FileCloud()
    let record = ZoneRecord(
      key: RecordKey(entity: "Gone", id: RecordID(text: "a")),
      birth: Numbered(
        Stamp(rawValue: 5), sequence: 1, device: DeviceID(device: 77, epoch: 1)))
    try cloud.authority.storage.begin(.durable)
    try cloud.authority.storage.save(record, in: cloud.zone)
    cloud.authority.storage.rollBack()

    #expect(try cloud.authority.storage.record(record.key, in: cloud.zone) == nil)
    let connection = try Connection(path: cloud.authority.storage.path, readOnly: true)
    #expect(try connection.integer("SELECT count(*) FROM name WHERE text = 'Gone'") == 0)
    // Numbers that were given and taken back are given again, so none may be remembered.
    try cloud.send(1, [cloud.note("b", ["name": .text("bread")])])
    #expect(try cloud.fetch(2).changes.map(\.delta.key.entity) == ["Note"])
  }

  @Test func `a group larger than one piece of a memo is remembered whole`() throws {
    var cloud = try FileCloud()
    let pages = (0..<6).map { page in
      (0..<2000).map { cloud.note("\(page)-\($0)", ["name": .integer(1)]) }
    }
    let header = GroupHeader(
      token: 1, base: 0, sequence: 1, transactionToken: 1, recordCount: 12_000)
    for (number, deltas) in pages.enumerated() {
      let answer = try cloud.authority.send(
        SendPage(
          device: FileCloud.info(1), zone: cloud.zone, proof: nil, cursor: nil, group: header,
          page: number, isLast: number == 5, deltas: deltas),
        account: FileCloud.account)
      #expect((answer.acceptance != nil) == (number == 5))
    }

    let storage = cloud.authority.storage
    let facts = try storage.writtenFacts(of: FileCloud.info(1).id, in: cloud.zone)

    #expect(facts.count == 12_000)
    #expect(try storage.stagedGroup(of: FileCloud.info(1).id, in: cloud.zone) == nil)
    let size = try Connection(path: storage.path, readOnly: true)
      .integer("SELECT sum(length(facts)) FROM memo_facts")
    #expect(size < 12_000 * 40)
  }

  @Test func `rows whose facts were all replaced are gone`() throws {
    var cloud = try FileCloud()
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    let key = RecordKey(entity: "Note", id: RecordID(text: "a"))
    for number in 1...5 as ClosedRange<Int64> {
      let life = Stamp(milliseconds: cloud.clock.now)
      let stamp = Stamp(rawValue: life.rawValue + number)
      try cloud.send(
        1,
        [
          RecordDelta(
            key: key,
            versions: ["name": Version(life: life, stamp: stamp, value: .integer(number))])
        ])
    }

    let connection = try Connection(path: cloud.authority.storage.path, readOnly: true)

    // The birth, and the name that counts.
    #expect(try connection.integer("SELECT count(*) FROM feed WHERE entity > 0") == 2)
  }
}
