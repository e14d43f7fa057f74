import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What two connections to one file see of each other, as two processes would.
@Suite struct SharedFileTests {
  @Test func `a change by another process is seen at once and told`() throws {
    var cloud = try FileCloud()
    let before = try cloud.authority.storage.foreignChanges()
    var other = Authority(
      storage: try FileCloud.open(cloud.data), clock: cloud.clock.wall,
      random: SeededGenerator(seed: 9))
    let delta = RecordDelta(
      key: RecordKey(entity: "Fresh", id: RecordID(text: "x")), birth: Stamp(rawValue: 50),
      versions: [
        "new": Version(
          life: Stamp(rawValue: 50), stamp: Stamp(rawValue: 50), value: .text("from elsewhere"))
      ])
    let page = SendPage(
      device: FileCloud.info(3), zone: cloud.zone, proof: nil, cursor: nil,
      group: GroupHeader(
        token: 1, base: 0, sequence: 1, transactionToken: 2, recordCount: 1),
      page: 0, isLast: true, deltas: [delta])

    _ = try other.send(page, account: FileCloud.account)

    #expect(try cloud.authority.storage.foreignChanges() != before)
    #expect(try cloud.fetch(2).changes.map(\.delta) == [delta])
    #expect(
      try cloud.authority.storage.schema(of: .development)
        == ["Note": ["name", "done"], "Fresh": ["new"]])
  }

  @Test func `a check reads beside a transaction that writes`() throws {
    var cloud = try FileCloud()
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    let other = try FileCloud.open(cloud.data, waitMilliseconds: 1)
    try cloud.authority.storage.begin(.durable)

    #expect(try ServerCheck(storage: other).run().faults == [])

    cloud.authority.storage.rollBack()
  }

  @Test func `own changes are no foreign changes`() throws {
    var cloud = try FileCloud()
    let before = try cloud.authority.storage.foreignChanges()

    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])

    #expect(try cloud.authority.storage.foreignChanges() == before)
  }

  @Test func `a process that waits for too long is told to come again`() throws {
    let cloud = try FileCloud()
    let patient = try FileCloud.open(cloud.data, waitMilliseconds: 1)
    try cloud.authority.storage.begin(.durable)

    #expect(refusal { try patient.begin(.durable) } == .throttled)

    cloud.authority.storage.rollBack()
    try patient.begin(.relaxed)
    patient.rollBack()
  }

  @Test func `a fetch that finds nothing new writes nothing`() throws {
    var cloud = try FileCloud()
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    var page = try cloud.fetch(2)
    page = try cloud.fetch(2, after: page.cursor, proof: page.proof)
    try cloud.receipt(2, page.cursor)
    let watcher = try FileCloud.open(cloud.data)
    let before = try watcher.foreignChanges()

    cloud.clock.advance(by: 59_000)
    try cloud.fetch(2, after: page.cursor, proof: page.proof)
    try cloud.receipt(2, page.cursor)
    #expect(try watcher.foreignChanges() == before)

    cloud.clock.advance(by: 1000)
    try cloud.fetch(2, after: page.cursor, proof: page.proof)
    #expect(try watcher.foreignChanges() != before)
  }

  @Test func `many threads that share one instance come one after the other`() async throws {
    let cloud = try FileCloud()
    let storage = cloud.authority.storage
    let zone = cloud.zone
    let clock = cloud.clock.wall

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...8 as ClosedRange<UInt64> {
        group.addTask {
          var authority = Authority(
            storage: storage, clock: clock, random: SeededGenerator(seed: number))
          let stamp = Stamp(rawValue: Int64(number))
          for turn in 0..<10 {
            let key = RecordKey(entity: "Note", id: RecordID(text: "\(number)-\(turn)"))
            let page = SendPage(
              device: FileCloud.info(number), zone: zone, proof: nil, cursor: nil,
              group: GroupHeader(
                token: number * 100 + UInt64(turn), base: 0, sequence: 1, transactionToken: 1,
                recordCount: 1),
              page: 0, isLast: true, deltas: [RecordDelta(key: key, birth: stamp)])
            _ = try authority.send(page, account: FileCloud.account)
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(try storage.recordCount(in: zone) == 80)
    #expect(try storage.zone(zone)?.head == 80)
  }
}
