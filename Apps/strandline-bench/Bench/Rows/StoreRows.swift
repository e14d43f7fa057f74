import Foundation
import Strandline

// What a store does by itself, beside the same rows without tracking.
extension Row {
  static let storeRows = [
    Row(name: "insert", summary: "tracked bulk insert, typed values, one transaction") { run in
      let todos = BenchTodo.many(run.records)
      let raw = try await Rounds.median(run.rounds) {
        let database = try await run.rawDatabase()
        return try await Rounds.seconds { try database.insert(todos) }.seconds
      }
      let tracked = try await Rounds.median(run.rounds) {
        let store = try await run.workshop.store()
        defer { store.close() }
        return try await Rounds.seconds {
          try await store.write { write in for todo in todos { try write.save(todo) } }
        }.seconds
      }
      return [
        .rate("insert", "insert, one transaction", todos.count, tracked, "raw", raw, 0.35, 0.5)
      ]
    },
    Row(name: "update", summary: "tracked bulk update of one column, one transaction") { run in
      let todos = BenchTodo.many(run.records)
      let ids = todos.map(\.id)
      let database = try await run.rawDatabase()
      try database.insert(todos)
      let store = try await run.workshop.store()
      defer { store.close() }
      try await store.write { write in for todo in todos { try write.save(todo) } }
      var priority = 10
      let raw = try await Rounds.median(run.rounds) {
        priority += 1
        return try await Rounds.seconds { try database.update(ids, priority: priority) }.seconds
      }
      let tracked = try await Rounds.median(run.rounds) {
        priority += 1
        let values = ["priority": Value.integer(Int64(priority))]
        return try await Rounds.seconds {
          try await store.write { write in
            for id in ids { try write.update("BenchTodo", id, values: values) }
          }
        }.seconds
      }
      let batch = try await Rounds.median(run.rounds) {
        priority += 1
        let values = ["priority": Value.integer(Int64(priority))]
        return try await Rounds.seconds {
          try await store.write { try $0.updateAll(Query("BenchTodo"), values: values) }
        }.seconds
      }
      return [
        .rate("update", "update of one column", ids.count, tracked, "raw", raw, 0.35, 0.5),
        .rate("update-batch", "the same by updateAll", ids.count, batch, "raw", raw),
      ]
    },
    Row(name: "save", summary: "transactions of one row, durable as configured") { run in
      let todos = BenchTodo.many(min(run.records / 5, 5000))
      let raw = try await Rounds.median(run.rounds) {
        let database = try await run.rawDatabase()
        return try await Rounds.seconds { try database.insert(todos, isOneTransaction: false) }
          .seconds
      }
      let tracked = try await Rounds.median(run.rounds) {
        let store = try await run.workshop.store()
        defer { store.close() }
        return try await Rounds.seconds {
          for todo in todos { try await store.write { try $0.save(todo) } }
        }.seconds
      }
      return [
        .rate("save", "transactions of one row", todos.count, tracked, "raw", raw, 0.6, 0.8)
      ]
    },
    Row(name: "fetch", summary: "typed fetch of all rows") { run in
      let todos = BenchTodo.many(run.records)
      let database = try await run.rawDatabase()
      try database.insert(todos)
      let store = try await run.workshop.store()
      defer { store.close() }
      try await store.write { write in for todo in todos { try write.save(todo) } }
      let raw = try await Rounds.median(run.rounds) {
        try await Rounds.seconds { try database.readAll() }.seconds
      }
      let typed = try await Rounds.median(run.rounds) {
        try await Rounds.seconds { try await store.read { try $0.fetch(BenchTodo.self) } }.seconds
      }
      return [
        .rate("fetch", "typed fetch of all rows", todos.count, typed, "rawread", raw, 0.5, 0.8)
      ]
    },
  ]
}

extension BenchRun {
  /// A database without tracking whose table is the one that a store has.
  func rawDatabase() async throws -> RawDatabase {
    try RawDatabase(
      path: workshop.path("raw.sqlite"), definition: try await scenes.tableDefinition())
  }
}

extension Figure {
  /// How many things were done in a second, beside how many the yardstick did.
  static func rate(
    _ name: String, _ title: String, _ count: Int, _ seconds: Double, _ yardstick: String,
    _ yardstickSeconds: Double, _ floor: Double? = nil, _ aim: Double? = nil
  ) -> Figure {
    Figure(
      name, title, Double(count) / seconds, "/s",
      yardstick: (yardstick, Double(count) / yardstickSeconds), floor: floor, aim: aim)
  }
}
