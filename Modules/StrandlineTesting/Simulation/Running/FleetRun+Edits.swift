import Strandline

extension FleetRun {
  /// One transaction of one to six edits, or one of the app's own.
  func edit(_ index: Int, _ random: inout SeededGenerator) async throws {
    if let own = scene.edit, Bool.random(using: &random) {
      let writer = FleetWriter(number: devices[index].writer)
      return try await write(index, &random) { try own($0, &$1, writer) }
    }
    let count = [1, 1, 1, 2, 3, 6][Int.random(in: 0..<6, using: &random)]
    let edits = edits
    try await write(index, &random) { write, random in
      for _ in 0..<count { try edits.edit(write, &random) }
    }
  }

  /// Several transactions on one record within one millisecond, or some within a second.
  func editRapidly(_ index: Int, _ random: inout SeededGenerator) async throws {
    met.insert(.rapidEdits)
    let isWithinOneMillisecond = Bool.random(using: &random)
    for _ in 0..<Int.random(in: 2...5, using: &random) {
      if !isWithinOneMillisecond { time.advance(by: Int64.random(in: 0...200, using: &random)) }
      let edits = edits
      try await write(index, &random) { try edits.toggle($0, &$1) }
    }
  }

  /// One transaction that deletes most of what random edits have made.
  func deleteMany(_ index: Int, _ random: inout SeededGenerator) async throws {
    met.insert(.massDeletes)
    let edits = edits
    try await write(index, &random) { try edits.deleteMany($0, &$1) }
  }

  private func write(
    _ index: Int, _ random: inout SeededGenerator,
    _ body: @escaping @Sendable (WriteTransaction, inout SeededGenerator) throws -> Void
  ) async throws {
    guard let store = devices[index].store else { return }
    // What other clients wrote is sealed first, and is theirs.
    let before = try image(of: index)
    let seed = random.next()
    try await store.write { write in
      var random = SeededGenerator(seed: seed)
      try body(write, &random)
    }
    ledger.note(from: before, to: try image(of: index), by: devices[index].writer)
    counts.count("transactions")
  }

  /// Statements of another SQLite client.
  func editByOtherClient(_ index: Int, _ random: inout SeededGenerator) throws {
    guard let client = devices[index].client, let store = devices[index].store else { return }
    met.insert(.otherClients)
    let before = try image(of: index)
    if try edits.edit(client, store.schema, &random) {
      counts.count("transactions of another client that were rolled back")
    }
    ledger.note(from: before, to: try image(of: index), by: devices[index].writer)
  }
}
