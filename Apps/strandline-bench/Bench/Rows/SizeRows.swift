import Foundation
import Strandline

// What records take on the disk and on the wire, beside the data itself.
extension Row {
  static let sizeRows = [
    Row(name: "size", summary: "size of a store after pruning, beside the untracked file") { run in
      let todos = BenchTodo.many(run.records)
      let database = try await run.rawDatabase()
      try database.insert(todos)
      database.close()
      let store = try await run.workshop.store()
      try await store.write { write in for todo in todos { try write.save(todo) } }
      try await store.prune(RetentionPolicy(historyDays: 0))
      store.close()
      let data = todos.reduce(0) { $0 + $1.dataSize }
      func megabytes(_ bytes: Int) -> Double { Double(bytes) / 1_000_000 }
      return [
        Figure(
          "size", "store of \(FigureTable.number(Double(run.records))) rows after pruning",
          megabytes(try Workshop.size(ofStore: store.path)), "MB",
          yardstick: ("raw", megabytes(try Workshop.size(ofStore: database.path))), floor: 2.5,
          aim: 2, better: .smaller),
        Figure("size-data", "  the data itself", megabytes(data), "MB", better: .smaller),
      ]
    },
    Row(name: "change-size", summary: "bytes per changed property on the disk and on the wire") {
      run in
      let count = min(run.records, 10_000)
      let server = try await BenchServer.start(in: run.workshop)
      let store = try await run.workshop.store(records: count)
      let device = SyncedStore(
        store: store, registry: Registry([]), options: SyncEngine.Options(deviceName: "bench"))
      try await device.use(try server.transport())
      while try await device.syncNow().caughtUpAt == nil {}
      let ids = try await store.read { try $0.records(Query("BenchTodo")).map(\.id) }
      await device.close()
      let sizeBefore = try Workshop.size(ofStore: store.path)
      let again = try await Store.open(
        .file(store.path), schema: Schema([BenchTodo.self]))
      try await again.write { write in
        for id in ids { try write.update("BenchTodo", id, values: ["priority": .integer(77)]) }
      }
      let synced = SyncedStore(
        store: again, registry: Registry([]), options: SyncEngine.Options(deviceName: "bench"))
      try await synced.use(try server.transport())
      let wireBefore = Loopback.received()
      let report = try await synced.syncNow()
      let wire = wireBefore.flatMap { before in Loopback.received().map { $0 - before } }
      try run.expect(report.exported == count, "not all was exported", report)
      await synced.close()
      let disk = try Workshop.size(ofStore: store.path) - sizeBefore
      await server.stop()
      let data: (name: String, value: Double) = ("data", 16 + 8)
      var figures = [
        Figure(
          "change-size-disk", "a changed property on the disk, unpruned",
          Double(disk) / Double(count), "bytes", yardstick: data, better: .smaller)
      ]
      if let wire {
        figures.append(
          Figure(
            "change-size-wire", "a changed property on the wire, HTTP",
            Double(wire) / Double(count), "bytes", yardstick: data, better: .smaller))
      }
      return figures
    },
  ]
}
