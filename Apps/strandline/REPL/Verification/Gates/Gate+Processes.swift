import Strandline

// Processes that end and others that write.
extension Gate {
  private static let many = 100

  static let processes = [
    Gate(name: "killedFirstImport", title: "kill and relaunch during the first import") {
      verification in
      let (a, _) = try await verification.pair()
      _ = try await a.insert((1...many).map { "one of many, \($0)" })
      try await a.sync()
      let new = try await verification.device("C", pageRecords: 20)
      try await new.run(.hang(afterFetches: 2))
      await verification.kill("C")
      let again = try await verification.device("C")
      for _ in 0..<5 where try await !again.sync().isCaughtUp {}
      let (wanted, found) = (try await a.contents(), try await again.contents())
      try GateFailure.expect(
        found == wanted,
        "Could not find on the new device what A has, "
          + "\(Wording.count(found.count, "record")) of \(wanted.count) are there.")
      await verification.end("C")
      return .passed(
        verification.place.hasProcesses
          ? "\(Wording.count(found.count, "record")), the process was killed"
          : "\(Wording.count(found.count, "record")), ended between two steps")
    },
    Gate(name: "otherProcess", title: "a save by another process while the app is closed") {
      verification in
      await verification.end("A")
      let other = try await verification.device("A", isLocal: true)
      let id = try await other.insert("saved while the app was closed")
      await verification.end("A")
      let (a, b) = try await verification.pair()
      try await pass(from: a, to: b)
      try await expect(id, on: b, "saved while the app was closed")
      return .passed(
        verification.place.hasProcesses ? "" : "by another opening of the store")
    },
  ]
}
