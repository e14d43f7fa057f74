import Strandline

extension TransportContract {
  static let errorRules: [ContractRule] = [
    errors(
      "a place that is away answers nothing and takes nothing",
      otherwise: "an empty answer is taken for an empty zone, or a change is taken for sent"
    ) { scene in
      let setReachable = try scene.place.abilities.setReachable.get()
      let (one, two) = try await scene.pair()
      let pages = two.group([two.note("b")])
      try await setReachable(false)
      for (name, call) in try two.calls(sending: pages) {
        let error = try await failure("\(name) while the place was away", call)
        try require(
          [.unreachable, .zoneNotFound, .accountUnavailable].contains(error.code),
          "it threw '\(error.codeName)' at \(name) while the place was away")
      }
      try await setReachable(true)
      try await two.reopen()
      try await two.accepted(pages)
      try await one.readAll()
      try require(one.ids == ["a", "b"], "it showed \(one.ids) when the place was back")
    },
    errors(
      "a place that is away is not made anew",
      otherwise: "a disk that is not mounted gets a second zone, and records are uploaded there"
    ) { scene in
      let setReachable = try scene.place.abilities.setReachable.get()
      let one = try await scene.device(1)
      try await one.send([one.note("a")])
      try await setReachable(false)
      let two = try await scene.unopened(2)
      _ = try await failure("a first open while the place was away") { try await two.open() }
      try await setReachable(true)
      try await two.open()
      try await two.readAll()
      try require(two.zone == one.zone && two.ids == ["a"], "it made a zone while it was away")
    },
    errors(
      "every error says what failed and why, and asks for what helps",
      otherwise: "a device tries for ever, or stops for good, and nobody is told why"
    ) { scene in
      let one = try await scene.device(1)
      let gone = ZoneID(rawValue: String(repeating: "0c", count: 16))
      // The errors themselves are judged wherever they are thrown; here they are made to be.
      _ = try await outcome { try await one.open(expecting: gone) }
      try await one.open()
      _ = try await outcome { try await one.deliver(one.group([one.note("a")], announced: 9)) }
      _ = try await outcome {
        let request = FetchRequest(
          device: one.info, zone: one.zone, proof: nil, cursor: Cursor(bytes: [1, 2, 3]), limit: 1)
        _ = try await one.transport.fetch(request)
      }
      _ = try await outcome {
        try await one.transport.purge(PurgeRequest(device: one.info, zone: gone))
      }
      _ = try await outcome {
        let request = FetchRequest(
          device: one.info, zone: gone, proof: nil, cursor: nil, limit: 1)
        _ = try await one.transport.fetch(request)
      }
    },
  ]

  private static func errors(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("errors", sentence, otherwise: loss, body: check)
  }
}
