import Strandline

extension TransportContract {
  static let stagingRules: [ContractRule] = [
    staging(
      "nobody sees a part of a group",
      otherwise: "a device shows half of what was saved together"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group((0..<6).map { one.note("n\($0)") }, pageSize: 2)
      for page in pages.dropLast() {
        let answer = try await one.transport.send(page)
        try require(
          answer.acceptance == nil, "it accepted a group at page \(page.page) of \(pages.count)")
        try await two.readAll()
        try require(two.ids.isEmpty, "it showed \(two.ids) of a group that had not ended")
      }
      try await one.accepted([pages[pages.count - 1]])
      try await two.readAll()
      try require(two.ids == one.ids, "it showed \(two.ids) of a group of \(one.ids)")
    },
    staging(
      "a begun group stays unseen whatever others send",
      otherwise: "an upload that was given up shows in part"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b"].map { one.note($0) }, pageSize: 1)
      _ = try await one.transport.send(pages[0])
      try await two.send([two.note("c")])
      let three = try await scene.device(3)
      try await three.readAll()
      try require(three.ids == ["c"], "it showed \(three.ids) where one group had ended")
    },
    staging(
      "a new token drops the group that was begun before",
      otherwise: "records that were deleted since come back from an old upload"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let begun = one.group(["a", "b"].map { one.note($0) }, pageSize: 1)
      _ = try await one.transport.send(begun[0])
      try await one.send([one.note("c")])
      try await two.readAll()
      try require(two.ids == ["c"], "it showed \(two.ids) where the group of c alone had ended")
    },
    staging(
      "a page that comes twice counts once",
      otherwise: "a lost answer makes a group that never adds up"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b", "c"].map { one.note($0) }, pageSize: 1)
      try await one.accepted([pages[0], pages[0], pages[1], pages[1], pages[2]])
      try await two.readAll()
      try require(two.ids == ["a", "b", "c"], "it showed \(two.ids) of a group of a, b and c")
    },
    staging(
      "the last page that comes twice is answered alike",
      otherwise: "a sender whose answer was lost is told something else"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b"].map { one.note($0) }, pageSize: 1)
      let first = try await one.accepted(pages)
      try await two.send([two.note("c")])
      let second = try await one.accepted([pages[1]])
      try require(
        first.sequence == second.sequence && first.position == second.position,
        "it answered a repeated last page with \(second.sequence) at \(second.position), the first "
          + "time with \(first.sequence) at \(first.position)")
    },
    staging(
      "a group that does not add up is not taken",
      otherwise: "a page that was lost on the way is missing for ever"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let short = one.group([one.note("a")], announced: 2)
      let error = try await failure("a group that announced 2 records and had 1") {
        try await one.deliver(short)
      }
      try require(
        error.code == .invalidRequest, "it threw '\(error.codeName)' for a group that is short")
      let gap = one.group(["b", "c", "d"].map { one.note($0) }, pageSize: 1)
      _ = try await failure("a group whose page 1 never came") {
        try await one.deliver([gap[0], gap[2]])
      }
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed \(two.ids) of groups that did not add up")
      try await one.send([one.note("e")])
      try await two.readAll()
      try require(two.ids == ["e"], "it showed \(two.ids) where the group of e was whole")
    },
    staging(
      "a group is begun again from its first page under its own token",
      otherwise: "a transport that lost its staged pages blocks its device"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b", "c"].map { one.note($0) }, pageSize: 1)
      _ = try await one.transport.send(pages[0])
      _ = try await one.transport.send(pages[1])
      try await one.accepted(pages)
      try await two.readAll()
      try require(two.ids == ["a", "b", "c"], "it showed \(two.ids) of a group of a, b and c")
    },
    staging(
      "a group that another connection began can be sent whole",
      otherwise: "an app that was killed in the middle of an upload never ends it"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let pages = one.group(["a", "b"].map { one.note($0) }, pageSize: 1)
      _ = try await one.transport.send(pages[0])
      one.transport = try await scene.connect(1)
      try await one.reopen()
      try await one.accepted(one.renamed(pages))
      try await two.readAll()
      try require(two.ids == ["a", "b"], "it showed \(two.ids) of a group of a and b")
    },
  ]

  private static func staging(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("staging", sentence, otherwise: loss, body: check)
  }
}
