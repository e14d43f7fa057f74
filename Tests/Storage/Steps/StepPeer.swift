import StrandlineModels
import StrandlineStorage

/// Another store, on another device, that edits by itself and sends what it has pending.
final class StepPeer {
  private let clock = ManualClock()
  private let store: Store
  private var sent: Int64 = 0

  init() async throws {
    store = try await Store.open(
      .memory, schema: Schema(parsing: HistoryShape.modelFile),
      options: StoreOptions(clock: clock.wall, readerCount: 1))
    // Each store has a salt of its own, and a seed must give the same history again.
    try ForeignClient(store.path).run("UPDATE strandline_clock SET salt = 1147")
  }

  /// Edits a few records and gives what it would send; now and then everything once more.
  func changes(_ planner: inout HistoryPlanner) async throws -> [RecordDelta] {
    clock.milliseconds = planner.milliseconds
    for _ in 0..<Int.random(in: 1...3, using: &planner.random) {
      try await edit(&planner)
    }
    let outgoing = try await store.outgoing(for: 1, after: planner.chance(1, in: 8) ? 0 : sent)
    sent = outgoing.head
    return outgoing.deltas
  }

  private func edit(_ planner: inout HistoryPlanner) async throws {
    let shape = HistoryShape.all.randomElement(using: &planner.random) ?? HistoryShape.all[0]
    let id = shape.ids.randomElement(using: &planner.random) ?? shape.ids[0]
    var values: [String: Value] = [:]
    for name in shape.editable where planner.chance(1, in: 2) {
      let value =
        name == "node" ? .null : shape.choices[name]?.randomElement(using: &planner.random)
      if let value, HistoryPlanner.isOwn(name, value) { values[name] = value }
    }
    let isDeleted = planner.chance(1, in: 4)
    let chosen = values
    try await store.write { write in
      if try write.record(shape.name, id) == nil {
        let key = shape.isIdentityKeyed ? ["k": id.value] : [:]
        try write.insert(shape.name, id: id, values: chosen.merging(key) { $1 })
      } else if isDeleted {
        try write.delete(shape.name, id)
      } else {
        try write.update(shape.name, id, values: chosen)
      }
    }
  }
}
