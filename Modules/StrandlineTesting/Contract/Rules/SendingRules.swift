import Strandline

extension TransportContract {
  static let sendingRules: [ContractRule] = [
    sending(
      "what one device sends the others fetch, fact by fact",
      otherwise: "an acknowledged change is lost"
    ) { scene in
      let (one, two, three) = (
        try await scene.device(1), try await scene.device(2), try await scene.device(3)
      )
      try await one.send([one.note("a", title: "one"), one.note("b", title: "two")])
      for reader in [two, three] {
        try await reader.readAll()
        try require(
          reader.shown == one.shown, "it showed \(reader.ids) where \(one.ids) was sent")
      }
    },
    sending(
      "an acceptance names the sequence that was sent",
      otherwise: "an edit made while a send was in flight leaves the queue unsent"
    ) { scene in
      let one = try await scene.device(1)
      for ids in [["a"], ["b", "c"]] {
        let pages = one.group(ids.map { one.note($0) })
        let acceptance = try await one.accepted(pages)
        try require(
          acceptance.sequence == pages[0].group.sequence,
          "it acknowledged \(acceptance.sequence) where \(pages[0].group.sequence) was sent")
      }
    },
    sending(
      "positions of one device's groups rise",
      otherwise: "a receipt for one change is taken for a receipt of a later one"
    ) { scene in
      let one = try await scene.device(1)
      var last: Int64 = .min
      for id in ["a", "b", "c"] {
        let position = try await one.send([one.note(id)]).position
        try require(
          position > last,
          "it gave a later group the position \(position), not above "
            + "\(last)")
        last = position
      }
    },
    sending(
      "a group without records is acknowledged as well",
      otherwise: "changes that cancel each other out stay pending for ever"
    ) { scene in
      let (one, two) = try await scene.pair()
      let pages = one.group([])
      let acceptance = try await one.accepted(pages)
      try require(
        acceptance.sequence == pages[0].group.sequence,
        "it acknowledged \(acceptance.sequence) for a group without records")
      try await two.readAll()
      try require(two.ids == ["a"], "it showed other records after a group without records")
    },
    sending(
      "a whole group that comes again under its token is taken once",
      otherwise: "a lost answer doubles what was sent"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b", "c"].map { one.note($0) }, pageSize: 2)
      let first = try await one.accepted(pages)
      try await two.readAll()
      let second = try await one.accepted(pages)
      try require(
        first.sequence == second.sequence && first.position == second.position,
        "it answered a repeated group with sequence \(second.sequence) at \(second.position), the "
          + "first time with \(first.sequence) at \(first.position)")
      let page = try await two.fetch()
      try require(
        page.changes.isEmpty, "it showed \(page.changes.count) changes of a group twice")
    },
    sending(
      "a group whose answer was lost is taken again under another token",
      otherwise: "an app that was killed while it sent never gets on"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group([one.note("a", title: "x")])
      try await one.accepted(pages)
      let again = try await one.accepted(one.renamed(pages))
      try require(
        again.sequence == pages[0].group.sequence,
        "it acknowledged \(again.sequence) for a group that came again")
      try await two.readAll()
      try require(two.shown == one.shown, "it showed \(two.ids) after a group came again")
      try require(two.conflicts.isEmpty, "it listed a device's own value as lost to itself")
    },
    sending(
      "records arrive whatever the order of parents and children",
      otherwise: "a child that was sent before its parent is lost"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      func child(_ id: String, of parent: String) -> RecordDelta {
        one.note(id, values: ["parent": .text(parent)])
      }
      try await one.send([child("c1", of: "p1"), one.note("p1"), child("c2", of: "p2")])
      try await one.send([one.note("p2"), child("c3", of: "p1")])
      try await two.readAll(limit: 1)
      try require(two.shown == one.shown, "it showed \(two.ids) where \(one.ids) was sent")
    },
    sending(
      "what a device sent first never shows without what it sent before",
      otherwise: "a reader that was caught up sees a state that never was"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<6 {
        try await one.send([one.note("n\(number)")])
        try await two.readAll(limit: 1)
        let expected = (0...number).map { "n\($0)" }
        try require(two.ids == expected, "it showed \(two.ids) where \(expected) was sent")
      }
    },
    sending(
      "an offer of everything is taken, also where nothing was saved since the last group",
      otherwise: "what a zone has lost is offered in vain"
    ) { scene in
      let (one, two) = try await scene.pair()
      let own = two.group([two.note("b")])
      try await two.accepted(own)
      var offer = two.renamed(own)[0]
      offer.group.base = 0
      offer.group.isOffer = true
      // All that the store holds, among it what came from elsewhere and what the zone lacks.
      offer.deltas += [
        RecordDelta(key: ContractDevice.key("a"), birth: one.states[ContractDevice.key("a")]?.born),
        two.note("c"),
      ]
      offer.group.recordCount = offer.deltas.count
      try await two.accepted([offer])
      let three = try await scene.device(3)
      for device in [one, three] {
        try await device.readAll()
        try require(
          device.ids == ["a", "b", "c"], "it showed \(device.ids) after a, b and c were offered")
      }
    },
    sending(
      "a long upload in several groups is marked until it ends",
      otherwise: "the others say caught up in the middle of a first upload"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      try await one.accepted(one.group([one.note("a")], isPartOfUpload: true))
      let during = try await two.readAll().last?.uploading ?? []
      try require(
        during == [one.info.name],
        "it named \(during) as uploading while \(one.info.name) was")
      let own = try await one.readAll().last?.uploading ?? []
      try require(own.isEmpty, "it named a device as uploading to itself")
      try await one.accepted(one.group([one.note("b")]))
      let after = try await two.readAll().last?.uploading ?? []
      try require(after.isEmpty, "it named \(after) as uploading when the upload had ended")
    },
  ]

  private static func sending(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("sending", sentence, otherwise: loss, body: check)
  }
}
