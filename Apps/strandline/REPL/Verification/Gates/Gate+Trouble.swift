import Strandline

// Activities that fail or hang.
extension Gate {
  static let trouble = [
    Gate(name: "failureErasesNothing", title: "a failed event erases nothing") { verification in
      let (_, b) = try await verification.pair()
      let before = try await b.contents()
      let success = try await b.look().lastSuccess
      try await b.run(.failOnce)
      let away = try await saveWithoutPeer(b, "made before a failure")
      let after = try await b.contents()
      try GateFailure.expect(
        after.count == before.count + 1 && before.allSatisfy { after[$0.key] == $0.value },
        "Could not find all records on B after a cycle that failed.")
      try GateFailure.expect(
        away.lastSuccess == success,
        "Could not trust the status of B, a failure counts as its last success.")
      try await expectCaughtUp(b)
      return .passed("")
    },
    Gate(name: "editingIsFree", title: "editing is never blocked") { verification in
      let (a, _) = try await verification.pair()
      try await a.run(.hang(afterFetches: 0))
      let ids = try await (1...3).asyncMap { try await a.insert("made while a cycle hangs, \($0)") }
      for id in ids {
        try GateFailure.expect(
          try await a.record(id).savedAt != nil,
          "Could not see a save on A, it waits for a cycle that hangs.")
      }
      if let failure = try await a.cycle(.goOn).failure { throw failure }
      try await expectCaughtUp(a)
      return .passed("3 saves while a fetch hung")
    },
  ]
}

extension ClosedRange<Int> {
  fileprivate func asyncMap<T>(_ body: (Int) async throws -> T) async rethrows -> [T] {
    var results: [T] = []
    for number in self { results.append(try await body(number)) }
    return results
  }
}
