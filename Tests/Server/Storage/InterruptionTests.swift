import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct InterruptionTests {
  /// The file and its log as they stand at this moment, which is what a kill leaves behind.
  private func killed(_ cloud: FileCloud) throws -> String {
    let copy = cloud.folder.path("killed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    let path = cloud.authority.storage.path
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: path + suffix, toPath: copy + "/" + SQLiteServerStorage.fileName + suffix)
    }
    return copy
  }

  @Test func `what is killed before its commit has not happened`() throws {
    var cloud = try FileCloud()
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    try cloud.authority.storage.begin(.durable)
    // More than the cache holds, so that much of it is in the log before the commit.
    let large = Value.blob([UInt8](repeating: 7, count: 12 << 20))
    for number in 2...6 as ClosedRange<Int64> {
      let life = Stamp(rawValue: 100)
      let slot = RecordState.ParkedKey(life: life, property: "name")
      let device = FileCloud.info(1).id
      let record = ZoneRecord(
        key: RecordKey(entity: "Note", id: RecordID(text: "large \(number)")),
        birth: Numbered(life, sequence: number, device: device),
        versions: [
          slot: Numbered(
            Version(life: life, stamp: life, value: large), sequence: number, device: device)
        ])
      try cloud.authority.storage.save(record, in: cloud.zone)
    }
    let logged =
      try FileManager.default.attributesOfItem(
        atPath: cloud.authority.storage.path + "-wal")[.size] as? Int
    let copy = try killed(cloud)
    cloud.authority.storage.rollBack()

    let survivor = try FileCloud.open(copy)

    #expect((logged ?? 0) > 12 << 20)
    #expect(try survivor.recordCount(in: cloud.zone) == 1)
    #expect(try ServerCheck(storage: survivor).run().faults == [])
  }

  @Test func `what was answered survives a kill at once after it`() throws {
    var cloud = try FileCloud()
    var sent = 0
    for number in 0..<10 {
      try cloud.send(1, [cloud.note("\(number)", ["name": .integer(Int64(number))])])
      sent += 1
      let survivor = try FileCloud.open(try killed(cloud))
      #expect(try survivor.recordCount(in: cloud.zone) == sent)
    }
  }

  @Test(.enabled(if: Mount.isPossible))
  func `a full disk refuses changes, says so, and goes on being read`() async throws {
    let disk = try await Mount.disk(kibibytes: 6000)
    var cloud = try FileCloud(at: disk.folder + "/data")
    let large = Value.blob([UInt8](repeating: 7, count: 200_000))
    var accepted = 0
    var failure: TransportError?
    for number in 0..<100 {
      do throws(TransportError) {
        try cloud.send(1, [cloud.note("\(number)", ["name": large])])
        accepted += 1
      } catch {
        failure = error
        break
      }
    }

    #expect(failure?.code == .quota)
    #expect(failure?.remedy == .retry(afterMilliseconds: 60_000))
    #expect(accepted > 2)
    #expect(try cloud.authority.storage.recordCount(in: cloud.zone) == accepted)
    #expect(try ServerCheck(storage: cloud.authority.storage).run().faults == [])
    try await disk.end()
  }
}
