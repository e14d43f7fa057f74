import Foundation
import Strandline

// A device with all records, a server, and a device with none: three processes of this build.
extension Row {
  static let firstSyncRows = [
    Row(name: "first-sync", summary: "first sync over HTTP, both ends on this machine") { run in
      let count = run.most
      Console.note("preparing \(FigureTable.number(Double(count))) records on a device …")
      let full = try run.home()
      let store = try await Store.open(
        .file(full + "/full/store.sqlite"), schema: Schema([BenchTodo.self]))
      try await Workshop.fill(store, count)
      store.close()
      let empty = try run.home()
      let server = try await BenchServer.start(in: run.workshop)
      let upload = try await MeasuredProgram.run(
        "strandline", server.options(home: full, device: "full") + ["sync"], in: run.workshop)
      let before = Loopback.received()
      let download = try await MeasuredProgram.run(
        "strandline", server.options(home: empty, device: "empty") + ["sync"], in: run.workshop)
      let bytes = before.flatMap { before in Loopback.received().map { $0 - before } }
      let serverPeak = MeasuredProgram.memory(of: server.process.id, "VmHWM")
      await server.stop()
      let arrived = try await Store.open(
        .file(empty + "/empty/store.sqlite"), schema: Schema([BenchTodo.self]))
      let found = try await arrived.read { try $0.count(BenchTodo.self) }
      arrived.close()
      guard found == count else {
        throw BenchError(
          "Could not measure the first sync, \(found) of \(count) arrived.", advice: "")
      }
      return try await figures(count, upload, download, bytes, serverPeak)
    }
  ]

  private static func figures(
    _ count: Int, _ upload: MeasuredProgram.Ended, _ download: MeasuredProgram.Ended,
    _ bytes: Int?, _ serverPeak: Int?
  ) async throws -> [Figure] {
    func megabytes(_ bytes: Int) -> Double { Double(bytes) / 1_000_000 }
    func memory(_ name: String, _ title: String, _ bytes: Int) -> Figure {
      Figure(name, title, megabytes(bytes), "MB", floor: 200, aim: 120, better: .smaller)
    }
    var figures = [
      Figure(
        "first-sync", "first sync over HTTP, end to end",
        Double(count) / (upload.seconds + download.seconds), "records/s", floor: 60_000,
        aim: 120_000),
      Figure(
        "first-sync-upload", "  of it, the upload", Double(count) / upload.seconds, "records/s"),
      Figure(
        "first-sync-download", "  of it, the download", Double(count) / download.seconds,
        "records/s"),
      memory("first-sync-memory-sender", "  memory of the device that sends", upload.peakMemory),
      memory(
        "first-sync-memory-receiver", "  memory of the one that receives", download.peakMemory),
    ]
    if let serverPeak {
      figures.append(
        memory("first-sync-memory-server", "  memory of the server", serverPeak << 10))
    }
    if let bytes, let plain = await PlainDownload.seconds(bytes: bytes) {
      figures.append(
        Figure(
          "first-sync-bytes", "  bytes of the download", megabytes(bytes) / download.seconds,
          "MB/s", yardstick: ("copy", megabytes(bytes) / plain)))
    }
    return figures
  }
}

extension BenchRun {
  /// A folder for `strandline --home` with the model of the bench.
  func home() throws -> String {
    let home = try workshop.newFolder("home")
    for device in ["full", "empty", "bench"] {
      try FileManager.default.createDirectory(
        atPath: home + "/" + device, withIntermediateDirectories: true)
    }
    try Self.model.write(toFile: home + "/model.json", atomically: true, encoding: .utf8)
    return home
  }

  private static let model = """
    {"version": 1, "entities": {"BenchTodo": {"attributes": {
      "name": {"type": "text", "default": ""}, "done": {"type": "boolean", "default": false},
      "note": {"type": "text", "optional": true}, "priority": {"type": "integer", "default": 0},
      "due": {"type": "date", "optional": true}}}}}
    """
}

/// What the system counts of the loopback.
enum Loopback {
  /// How many bytes it has carried; nil where the system does not tell.
  static func received() -> Int? {
    FileManager.default.contents(atPath: "/sys/class/net/lo/statistics/rx_bytes").flatMap {
      Int(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}
