import Foundation
import Strandline
import StrandlineFaults
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineSettings
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// What the status says from one step to the next, as the guide shows it.
@Suite struct StatusSequenceTests {
  private let time = TestTime()
  private let cloud: MemoryCloud
  private let folder: TemporaryFolder

  private static let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../Modules/Strandline/Strandline.docc/Status.md")

  init() throws {
    cloud = MemoryCloud(clock: time.clock, seed: 1)
    folder = try TemporaryFolder()
  }

  /// One step as the guide shows it, without times of day.
  private func line(_ step: String, _ device: SyncedDevice) async throws -> String {
    let status = try await device.status()
    let wording = Wording()
    var counts = [Wording.count(status.pending, "pending change")]
    if status.conflicts > 0 { counts.append(Wording.count(status.conflicts, "conflict")) }
    if status.setAside > 0 {
      counts.append("\(Wording.count(status.setAside, "record")) set aside")
    }
    return """
      \(step)
        \(Wording.symbol(status.standing)) \(wording.standing(status) { _ in "…" })
        \(wording.phase(status)); \(counts.joined(separator: ", ")); \
      switch \(wording.syncSwitch(status))
      """
  }

  private func open(_ cloud: MemoryCloud?) async throws -> SyncedDevice {
    try await SyncedDevice("phone", cloud, time, at: .file(folder.path("phone.sqlite")))
  }

  @Test func `each step says what was observed and nothing more`() async throws {
    let laptop = try await SyncedDevice("laptop", cloud, time)
    var steps: [String] = []
    var last: StatusSnapshot?
    do {
      let phone = try await open(cloud)
      steps = try await offlineAndBack(phone)
      steps += try await conflictAndRefusal(phone, laptop)
      steps.append(try await switchOff(phone))
      last = try await phone.status()
      // The process that has the lease is gone after a restart.
      last?.leaseHolder = nil
      await phone.synced.close()
    }

    let relaunched = try await open(nil)
    steps.append(try await line("After a restart", relaunched))
    #expect(try await relaunched.status() == last)
    await relaunched.synced.close()
    steps.append(try await purge(open(cloud)))

    let shown = try String(contentsOf: Self.guide, encoding: .utf8)
    let block = steps.joined(separator: "\n")
    #expect(shown.contains("```text\n\(block)\n```"), "not in Status.md:\n\(block)")
  }

  private func offlineAndBack(_ phone: SyncedDevice) async throws -> [String] {
    var steps = [try await line("The first launch", phone)]
    #expect(try await phone.status().firstLaunch == .checking)
    phone.panel.update { $0.isDown = true }
    try await phone.insert("milk", id: RecordID(text: "milk"))
    try await phone.sync()
    steps.append(try await line("Saved while offline", phone))
    var status = try await phone.status()
    #expect(status.standing == .waiting)
    #expect(status.deferral == .offline)
    #expect(status.pending == 1)
    #expect(status.lastSuccessfulActivity == nil)

    phone.panel.update { $0.isDown = false }
    time.advance()
    try await phone.sync()
    steps.append(try await line("Back again", phone))
    status = try await phone.status()
    #expect(status.standing == .caughtUp)
    #expect(status.failures.isEmpty)
    #expect(status.lastSuccessfulActivity == time.milliseconds)
    return steps
  }

  /// Switches sync off while nothing can be reached, with a purge of the cloud copy.
  private func switchOff(_ phone: SyncedDevice) async throws -> String {
    phone.panel.update { $0.isDown = true }
    try await phone.synced.switchOff(purge: true)
    try await phone.synced.purge()
    let status = try await phone.status()
    #expect(status.standing == .off)
    #expect(status.isPurgePending)
    #expect(status.purge?.reason == "Could not reach the other side, nobody answered.")
    #expect(status.purge?.until != nil)
    return try await line("Sync is switched off with a purge, which fails", phone)
  }

  /// Tries the purge again, with a connection.
  private func purge(_ phone: SyncedDevice) async throws -> String {
    time.advance(3_600_000)
    try await phone.synced.purge()
    let status = try await phone.status()
    #expect(status.standing == .off)
    #expect(!status.isPurgePending)
    #expect(status.purge == nil)
    #expect(try await phone.store.read { try $0.count(Query("TodoItem")) } == 3)
    return try await line("The purge is done", phone)
  }

  private func conflictAndRefusal(
    _ phone: SyncedDevice, _ laptop: SyncedDevice
  ) async throws -> [String] {
    let milk = RecordID(text: "milk")
    try await laptop.sync()
    time.advance()
    try await laptop.rename(milk, "oat milk")
    try await laptop.sync()
    time.advance()
    try await phone.rename(milk, "soy milk")
    var steps = [try await line("Edited while another device edited the same", phone)]
    #expect(try await phone.status().standing == .working)
    try await phone.sync()
    steps.append(try await line("The other value lost and is kept", phone))
    #expect(try await phone.status().conflicts == 1)
    #expect(try await phone.status().standing == .caughtUp)
    #expect(try await phone.store.events().contains { $0.kind == "conflict" && $0.records == 1 })

    let secret = RecordID(text: "refused")
    phone.panel.update { $0.refusedRecords = [secret] }
    time.advance()
    try await phone.insert("refused", id: secret)
    try await phone.insert("bread")
    try await phone.sync()
    steps.append(try await line("One record is refused, the other goes out", phone))
    let status = try await phone.status()
    #expect((status.setAside, status.pending) == (1, 0))
    #expect(try await phone.store.setAsideItems().count == 1)
    return steps
  }
}
