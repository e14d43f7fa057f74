import Strandline
import StrandlineDirectoryTransport

// How soon a save on one device is in a query of another; both keep syncing in the background.
extension Row {
  static let latencyRows = [
    Row(name: "latency-http", summary: "one save on A visible in B's query over HTTP push") { run in
      let server = try await BenchServer.start(in: run.workshop)
      let times = try await run.latencies { _ in try server.transport() }
      await server.stop()
      return [
        Figure(
          "latency-http", "a save seen elsewhere, HTTP: median", Rounds.percentile(times, 0.5),
          "ms",
          floor: 5, aim: 2, better: .smaller),
        Figure(
          "latency-http-p99", "  99th percentile", Rounds.percentile(times, 0.99), "ms",
          floor: 25, aim: 10, better: .smaller),
      ]
    },
    Row(name: "latency-directory", summary: "the same over a directory") { run in
      let folder = try run.workshop.newFolder("zone")
      let times = try await run.latencies { _ in DirectoryTransport(path: folder) }
      return [
        Figure(
          "latency-directory", "a save seen elsewhere, directory: median",
          Rounds.percentile(times, 0.5), "ms", floor: 30, aim: 10, better: .smaller)
      ]
    },
  ]
}

extension BenchRun {
  /// The milliseconds from before a save on one device until a query on the other shows it.
  func latencies(
    _ transport: (String) throws -> any Transport
  ) async throws -> [Double] {
    var devices: [SyncedStore] = []
    var tasks: [Task<Void, Never>] = []
    for name in ["A", "B"] {
      let device = SyncedStore(
        store: try await workshop.store(), registry: Registry([]),
        options: SyncEngine.Options(deviceName: name))
      try await device.use(transport(name))
      if let error = try await device.syncNow().error {
        throw BenchError("Could not measure it, the first cycle failed: \(error)", advice: "")
      }
      devices.append(device)
      tasks.append(Task { await device.run { _ in } })
    }
    let (here, there) = (devices[0].store, devices[1].store)
    var times: [Double] = []
    // The first ones open connections and are not counted.
    for number in 0..<(options.samples + 3) {
      // A save that follows another one at once is gathered with it; this is about one that finds
      // nothing going on.
      try await Task.sleep(for: .milliseconds(number == 0 ? 1000 : 500))
      let todo = BenchTodo(number: number)
      let commits = there.observations()
      let (seconds, _) = try await Rounds.seconds {
        try await here.write { try $0.save(todo) }
        try await Self.wait(for: todo.id, in: there, commits)
      }
      if number >= 3 { times.append(seconds * 1000) }
    }
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    for device in devices { await device.close() }
    return times
  }

  /// Waits for a record, for a minute at most.
  private static func wait(
    for id: RecordID, in store: Store, _ commits: AsyncStream<Void>
  ) async throws {
    try await withThrowingTaskGroup { group in
      group.addTask {
        for await _ in commits {
          if try await store.read({ try $0.fetch(BenchTodo.self, id: id) }) != nil { return }
        }
      }
      group.addTask {
        try await Task.sleep(for: .seconds(60))
        throw BenchError("Could not measure it, a save was not seen within a minute.", advice: "")
      }
      try await group.next()
      group.cancelAll()
    }
  }
}
