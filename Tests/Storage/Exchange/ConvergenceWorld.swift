import StrandlineModels
import StrandlineStorage

/// Three stores that exchange deltas in random portions, one of them with an older model.
final class ConvergenceWorld {
  struct Mismatch: Error, CustomStringConvertible {
    let description: String
  }

  private struct Member {
    let store: Store
    let clock: ManualClock
    /// Another client of the store, which is also what empties it.
    let client: ForeignClient
  }

  private let members: [Member]
  /// How far each store's changes were acknowledged by each other store.
  private var acknowledged: [[Int64]] = []
  /// What was sent before from one store to another, and may come again.
  private var repeats: [[Int]: [RecordDelta]] = [:]
  private var random = SeededGenerator(seed: 0)

  private static let olderModelFile = """
    {"entities": {
      "Node": {"attributes": {
        "a": {"type": "integer", "default": 0}, "b": {"type": "text", "default": ""}}},
      "Leaf": {"attributes": {"n": {"type": "integer", "default": 9}}, "relationships": {
        "node": {"to": "Node", "inverse": "leaves", "onDelete": "cascade"}}},
      "Pref": {"attributes": {
        "k": {"type": "text", "default": ""}, "v": {"type": "text", "default": ""}},
        "identity": ["k"]}
    }}
    """

  init() async throws {
    var made: [Member] = []
    for (index, model) in [
      HistoryShape.modelFile, HistoryShape.modelFile, Self.olderModelFile,
    ].enumerated() {
      let clock = ManualClock()
      let store = try await Store.open(
        .memory, schema: try Schema(parsing: model),
        options: StoreOptions(clock: clock.wall, readerCount: 1))
      let client = try ForeignClient(store.path, foreignKeys: true, clock: clock)
      try client.run("UPDATE strandline_clock SET salt = ?", [.integer(Int64(index) * 4_711)])
      made.append(Member(store: store, clock: clock, client: client))
    }
    members = made
  }

  func play(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    repeats = [:]
    acknowledged = try members.map { member in
      let head = try Self.empty(member)
      return Array(repeating: head, count: members.count)
    }
    // In a chain, the store in the middle carries everything between the other two.
    let isChain = chance(1, in: 2)
    for _ in 0..<Int.random(in: 6...14, using: &random) {
      let index = Int.random(in: 0..<members.count, using: &random)
      moveClock(of: index)
      if chance(1, in: 2) {
        try await write(index)
      } else {
        try await exchange(from: index, to: neighbour(of: index, isChain: isChain))
      }
    }
    try await settle(isChain: isChain)
    try await compare()
  }

  private func chance(_ one: Int, in all: Int) -> Bool {
    Int.random(in: 0..<all, using: &random) < one
  }

  private func neighbour(of index: Int, isChain: Bool) -> Int {
    if isChain { return index == 1 ? (chance(1, in: 2) ? 0 : 2) : 1 }
    return (index + Int.random(in: 1...2, using: &random)) % 3
  }

  private func moveClock(of index: Int) {
    members[index].clock.milliseconds += [0, 1, 3, -2, 900].randomElement(using: &random) ?? 0
  }

  private static func empty(_ member: Member) throws -> Int64 {
    let client = member.client
    client.setTriggers(false)
    try client.run("PRAGMA foreign_keys = OFF")
    for layout in member.store.catalog.layouts {
      try client.run("DELETE FROM \(layout.table)")
      try client.run("DELETE FROM \(layout.shadow)")
    }
    for table in ["log", "parked", "unknown_record", "unknown_value"] {
      try client.run("DELETE FROM strandline_\(table)")
    }
    try client.run("UPDATE strandline_clock SET seen = 0")
    member.clock.milliseconds = 1_800_000_000_000
    client.setTriggers(true)
    try client.run("PRAGMA foreign_keys = ON")
    return try client.run("SELECT coalesce(max(last), 0) FROM strandline_transaction")[0][0]
      .integer ?? 0
  }
}

// MARK: What happens in one store

extension ConvergenceWorld {
  private func write(_ index: Int) async throws {
    let member = members[index]
    let steps = try (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
      try step(member)
    }
    if chance(1, in: 2) {
      for step in steps { try Self.runForeign(step, on: member.client) }
    } else {
      let steps = steps
      try await member.store.write { write in
        for step in steps { try write.runIfPossible(step) }
      }
    }
  }

  private func step(_ member: Member) throws -> OwnStep? {
    guard let shape = HistoryShape.all.randomElement(using: &random),
      let id = shape.ids.randomElement(using: &random),
      let layout = try? member.store.catalog.layout(named: shape.name)
    else { return nil }
    var values: [String: Value] = [:]
    for name in shape.editable where layout.column(named: name) != nil && chance(1, in: 2) {
      values[name] = value(of: name, in: shape)
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      if shape.isIdentityKeyed { values["k"] = id.value }
      return .insert(shape.name, id, values)
    case 2: return .delete(shape.name, id)
    default: return .update(shape.name, id, values)
    }
  }

  /// A value that own writes may write too, and references to nothing that may be missing.
  private func value(of name: String, in shape: HistoryShape) -> Value {
    switch name {
    case "node": .null
    case "a": .integer(.random(in: 0...2, using: &random))
    case "b": .text(["", "x", "X"].randomElement(using: &random) ?? "")
    case "d": [.null, .blob([]), .blob([1])].randomElement(using: &random) ?? .null
    default: shape.choices[name]?.randomElement(using: &random) ?? .null
    }
  }

  private static func runForeign(_ step: OwnStep, on client: ForeignClient) throws {
    switch step {
    case .insert(let entity, let id, let values):
      let names = values.keys.sorted()
      let marks = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
      try client.run(
        "INSERT OR REPLACE INTO \(entity)(\((["id"] + names).joined(separator: ", "))) "
          + "VALUES (\(marks))", [id.value] + names.map { values[$0] ?? .null })
    case .update(let entity, let id, let values):
      for (name, value) in values.sorted(by: { $0.key < $1.key }) {
        try client.run("UPDATE \(entity) SET \(name) = ? WHERE id = ?", [value, id.value])
      }
    case .delete(let entity, let id):
      try client.run("DELETE FROM \(entity) WHERE id = ?", [id.value])
    }
  }
}

extension WriteTransaction {
  /// Runs a step unless the record is there already, or not there, as the step would need it.
  fileprivate func runIfPossible(_ step: OwnStep) throws {
    switch step {
    case .insert(let entity, let id, _):
      if try record(entity, id) == nil { try step.run(self) }
    case .update(let entity, let id, _), .delete(let entity, let id):
      if try record(entity, id) != nil { try step.run(self) }
    }
  }
}

// MARK: What happens between stores

extension ConvergenceWorld {
  /// Sends what is pending, whole and acknowledged or in part, split, shuffled and again.
  private func exchange(from: Int, to: Int) async throws {
    let sent = try await members[from].store.outgoing(
      for: Int64(to) + 1, after: acknowledged[from][to])
    let earlier = repeats[[from, to]] ?? []
    repeats[[from, to]] = earlier + sent.deltas
    var deltas = sent.deltas
    if chance(1, in: 2) { deltas = deltas.flatMap(split) }
    if chance(1, in: 2) { deltas.shuffle(using: &random) }
    if chance(1, in: 4) { deltas += earlier }
    if chance(1, in: 3) {
      deltas = deltas.filter { _ in chance(1, in: 2) }
    } else {
      acknowledged[from][to] = sent.head
    }
    try await members[to].store.receive(deltas, from: Int64(from) + 1)
  }

  /// A delta is a set of facts, which may come one by one.
  private func split(_ delta: RecordDelta) -> [RecordDelta] {
    var parts: [RecordDelta] = []
    if delta.birth != nil { parts.append(RecordDelta(key: delta.key, birth: delta.birth)) }
    if delta.death != nil { parts.append(RecordDelta(key: delta.key, death: delta.death)) }
    for (name, version) in delta.versions.sorted(by: { $0.key < $1.key }) {
      parts.append(RecordDelta(key: delta.key, versions: [name: version]))
    }
    return parts
  }

  /// Exchanges until nothing is pending anywhere.
  private func settle(isChain: Bool) async throws {
    for _ in 0..<8 {
      var isQuiet = true
      for (from, to) in [(0, 1), (1, 2), (2, 1), (1, 0), (0, 2), (2, 0)] {
        if isChain && abs(from - to) != 1 { continue }
        let sent = try await members[from].store.outgoing(
          for: Int64(to) + 1, after: acknowledged[from][to])
        acknowledged[from][to] = sent.head
        if sent.deltas.isEmpty { continue }
        isQuiet = false
        try await members[to].store.receive(sent.deltas, from: Int64(from) + 1)
      }
      if isQuiet { return }
    }
    throw Mismatch(description: "the stores do not fall silent")
  }

  private func compare() async throws {
    let all = try await members.asyncMap { try await $0.store.facts() }
    for key in Set(all.flatMap(\.keys)) {
      let states = all.map { ($0[key] ?? RecordState()).agreed }
      guard states.allSatisfy({ $0 == states[0] }) else {
        throw Mismatch(description: "\(key) is \(states)")
      }
    }
    for member in members {
      let parked = try member.client.run("SELECT * FROM strandline_parked")
      let disagreements = try await member.store.read { try $0.disagreements() }
      guard parked.isEmpty, disagreements.isEmpty else {
        throw Mismatch(description: "parked \(parked), disagreeing \(disagreements)")
      }
    }
  }
}

extension Array {
  fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
    var out: [T] = []
    for element in self { out.append(try await transform(element)) }
    return out
  }
}
