import Strandline
import StrandlineDirectoryTransport

// A whole cycle of many changes through a folder, the simplest peer that encodes and keeps them.
extension Row {
  static let peerRows = [
    Row(name: "export", summary: "coalesce, read, encode, publish in a folder, acknowledge") {
      run in
      let seconds = try await Rounds.median(run.rounds) {
        let device = try await run.folderDevice(
          in: run.workshop.newFolder("zone"), records: run.records)
        let (seconds, report) = try await Rounds.seconds { try await device.syncNow() }
        await device.close()
        try run.expect(report.exported == run.records, "not all was exported", report)
        return seconds
      }
      return [
        Figure(
          "export", "export to a folder", Double(run.records) / seconds, "/s", floor: 150_000,
          aim: 300_000)
      ]
    },
    Row(name: "import", summary: "read and decode new records, merge, write, record history") {
      run in
      let todos = BenchTodo.many(run.records)
      let zone = try run.workshop.newFolder("zone")
      let sender = try await run.folderDevice(in: zone, records: run.records)
      _ = try await sender.syncNow()
      await sender.close()
      let raw = try await Rounds.median(run.rounds) {
        let database = try await run.rawDatabase()
        return try await Rounds.seconds { try database.insert(todos) }.seconds
      }
      let seconds = try await Rounds.median(run.rounds) {
        let device = try await run.folderDevice(in: zone, records: 0)
        let (seconds, report) = try await Rounds.seconds { try await device.syncNow() }
        await device.close()
        try run.expect(report.imported == run.records, "not all was imported", report)
        return seconds
      }
      return [
        .rate(
          "import", "import from a folder", run.records, seconds, "raw", raw, 0.25, 0.4)
      ]
    },
  ]
}

extension BenchRun {
  /// A device that follows a folder and holds so many records of its own.
  func folderDevice(in folder: String, records count: Int) async throws -> SyncedStore {
    let device = SyncedStore(
      store: try await workshop.store(records: count), registry: Registry([]),
      options: SyncEngine.Options(deviceName: "bench"))
    try await device.use(DirectoryTransport(path: folder))
    return device
  }

  /// Refuses a measurement of something that did not do what it is for.
  func expect(_ isTrue: Bool, _ what: String, _ report: SyncReport) throws(BenchError) {
    if isTrue { return }
    throw BenchError(
      "Could not measure it, \(what): imported \(report.imported), exported \(report.exported), "
        + "\(report.error.map { "\($0)" } ?? "no error").", advice: "")
  }
}
