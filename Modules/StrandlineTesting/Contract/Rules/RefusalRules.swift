import Strandline

extension TransportContract {
  static let refusalRules: [ContractRule] = [
    refusing(
      "a record that is too large is refused by itself",
      otherwise: "one bad record holds up all the others for ever"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let large = tooLarge("b", one)
      let answer = try await one.deliver(one.group([one.note("a"), large, one.note("c")]))
      try require(
        answer.refused.map(\.key) == [large.key],
        "it refused \(answer.refused.map(\.key.id)) of a group in which b was too large")
      try require(
        answer.refused[0].code == "tooLarge",
        "it refused a record that is too large as '\(answer.refused[0].code)'")
      try require(
        answer.refused[0].message.hasPrefix("Could not "),
        "it refused a record without a sentence that says why")
      try require(answer.acceptance == nil, "it accepted a group of which it refused a record")
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed \(two.ids) of a group of which a record was refused")
    },
    refusing(
      "the group without what was refused is taken",
      otherwise: "the rest of a save is lost with its one bad record"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let (a, c) = (one.note("a"), one.note("c"))
      _ = try await one.deliver(one.group([a, tooLarge("b", one), c]))
      try await one.accepted(one.group([a, c], incomplete: 1))
      try await two.readAll()
      try require(two.ids == ["a", "c"], "it showed \(two.ids) where a and c were sent")
    },
    refusing(
      "a refusal on any page is told by the end of the group",
      otherwise: "a group is taken for accepted although it was not"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let deltas = [tooLarge("a", one), one.note("b"), one.note("c")]
      var refused: Set<RecordKey> = []
      for page in one.group(deltas, pageSize: 1) {
        let answer = try await one.transport.send(page)
        refused.formUnion(answer.refused.map(\.key))
        try require(answer.acceptance == nil, "it accepted a group of which it refused a record")
        // An engine begins again without the record as soon as it is told.
        if !answer.refused.isEmpty { break }
      }
      try require(
        refused == [ContractDevice.key("a")], "it refused \(refused.map(\.id)) and not a")
      try await one.accepted(one.group(Array(deltas.dropFirst()), incomplete: 1))
      try await two.readAll()
      try require(two.ids == ["b", "c"], "it showed \(two.ids) where b and c were sent")
    },
    refusing(
      "a record below the limit is taken",
      otherwise: "the engine sets aside what it was told it may send"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let bytes = [UInt8](repeating: 7, count: max(1, one.limits.recordBytes - 4096))
      try await one.send([one.note("a", values: ["body": .blob(bytes)])])
      try await two.readAll()
      try require(two.shown == one.shown, "it changed a record that is nearly as large as may be")
    },
    refusing(
      "a page with as many records as the limit says is taken",
      otherwise: "the engine cannot send what it was told it may send"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      try await one.send((0..<one.limits.pageRecords).map { one.note("n\($0)") })
      try await two.readAll(limit: 10_000)
      try require(
        two.ids == one.ids, "it showed \(two.ids.count) of \(one.ids.count) records of one page")
    },
    refusing(
      "a page with more records than the limit is to be split",
      otherwise: "the engine gives up where smaller portions would have gone through"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let deltas = (0...one.limits.pageRecords).map { one.note("n\($0)") }
      var page = one.group(deltas)[0]
      (page.deltas, page.isLast) = (deltas, true)
      let large = page
      let error = try await failure("a page of \(deltas.count) records") {
        try await one.deliver([large])
      }
      try require(error.code == .tooLarge, "it threw '\(error.codeName)' for a page too large")
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed records of a page that it did not take")
      try await one.accepted(one.group(deltas))
      try await two.readAll()
      try require(two.ids == one.ids, "it did not show what came again in portions")
    },
    refusing(
      "a stamp that lies far ahead is not let in",
      otherwise: "a device with a wrong clock wins every conflict for a year"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      guard one.transport.traits.acknowledgement == .stored else {
        throw MissingAbility(reason: "a transport that only publishes has no clock to judge by")
      }
      let year: Int64 = 365 * 24 * 3600 * 1000
      let stamp = Stamp(milliseconds: scene.time.milliseconds + year)
      let delta = RecordDelta(key: ContractDevice.key("a"), birth: stamp)
      let error = try await failure("a record that is stamped a year ahead") {
        try await one.deliver(one.group([delta]))
      }
      try require(
        error.code == .clockSkew, "it threw '\(error.codeName)' for a stamp a year ahead")
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed a record that is stamped a year ahead")
    },
  ]

  private static func tooLarge(_ id: String, _ device: ContractDevice) -> RecordDelta {
    let bytes = [UInt8](repeating: 7, count: device.limits.recordBytes + 1)
    return device.note(id, values: ["body": .blob(bytes)])
  }

  private static func refusing(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("refusing", sentence, otherwise: loss, body: check)
  }
}
