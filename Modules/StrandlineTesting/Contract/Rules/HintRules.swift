import Strandline

extension TransportContract {
  static let hintRules: [ContractRule] = [
    hinting(
      "each change of another device is hinted at",
      otherwise: "an open app shows old records until the next safety-net refresh"
    ) { scene in
      _ = try scene.place.abilities.hints.get()
      let (one, two) = try await scene.pair()
      let hints = two.transport.hints()
      for id in ["b", "c", "d"] {
        try await one.send([one.note(id)])
        try require(
          await hasHint(hints, within: scene.patience),
          "it gave no hint within \(scene.patience) after a change of another device")
      }
    },
    hinting(
      "everybody who listens is hinted at",
      otherwise: "of two open apps only one refreshes"
    ) { scene in
      _ = try scene.place.abilities.hints.get()
      let (one, two) = try await scene.pair()
      let three = try await scene.device(3)
      let all = [two.transport.hints(), two.transport.hints(), three.transport.hints()]
      for id in ["b", "c"] {
        try await one.send([one.note(id)])
        for hints in all {
          try require(
            await hasHint(hints, within: scene.patience), "it left out one of three listeners")
        }
      }
    },
    hinting(
      "hints end when nobody listens any more, and can be listened to again",
      otherwise: "an app that went to the background is never hinted at again"
    ) { scene in
      _ = try scene.place.abilities.hints.get()
      let (one, two) = try await scene.pair()
      for _ in 0..<3 {
        let transport = two.transport
        let listener = Task { for await _ in transport.hints() {} }
        listener.cancel()
        await listener.value
      }
      let hints = two.transport.hints()
      for id in ["b", "c"] {
        try await one.send([one.note(id)])
        try require(
          await hasHint(hints, within: scene.patience),
          "it gave no hint to somebody who listened for the second time")
      }
    },
    hinting(
      "a purge is hinted at",
      otherwise: "a device goes on for a while with what a person wanted gone"
    ) { scene in
      _ = try scene.place.abilities.hints.get()
      let (one, two) = try await scene.pair()
      let hints = two.transport.hints()
      try await one.send([one.note("b")])
      try require(await hasHint(hints, within: scene.patience), "it gave no hint of a change")
      try await one.transport.purge(PurgeRequest(device: one.info, zone: one.zone))
      try require(await hasHint(hints, within: scene.patience), "it gave no hint of a purge")
    },
  ]

  /// Waits for the next hint, but not for ever.
  static func hasHint(_ hints: AsyncStream<Hint>, within patience: Duration) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await _ in hints { return true }
        return false
      }
      group.addTask {
        do { try await Task.sleep(for: patience) } catch { return true }
        return false
      }
      let first = await group.next() ?? false
      group.cancelAll()
      return first
    }
  }

  private static func hinting(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("hints", sentence, otherwise: loss, body: check)
  }
}
