import Strandline

extension TransportContract {
  static let fetchingRules: [ContractRule] = [
    fetching(
      "an empty zone is read to its head at once",
      otherwise: "a first device never comes to caught up"
    ) { scene in
      let page = try await scene.device(1).fetch()
      try require(
        page.headReached && page.changes.isEmpty && page.conflicts.isEmpty,
        "it did not say that an empty zone is empty")
    },
    fetching(
      "small pages together hold everything, and the last one says so",
      otherwise: "records that stand between two pages are lost"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<25 { try await one.send([one.note("n\(number)")]) }
      let pages = try await two.readAll(limit: 4)
      try require(two.shown == one.shown, "it showed \(two.ids.count) of 25 records in pages of 4")
      try require(
        pages.dropLast().allSatisfy { !$0.headReached }, "it said twice that the head was reached")
    },
    fetching(
      "a page has no more changes than were asked for, or one group",
      otherwise: "a small device runs out of memory at a long catch-up"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<12 { try await one.send([one.note("n\(number)")]) }
      for page in try await two.readAll(limit: 3) {
        try require(
          page.changes.count <= 3,
          "it put \(page.changes.count) changes of groups of one into a page of 3")
      }
    },
    fetching(
      "the head is not said to be reached before it is",
      otherwise: "a device applies half of what was saved together and says caught up"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<9 { try await one.send([one.note("n\(number)")]) }
      var page = try await two.fetch(limit: 2)
      while !page.headReached { page = try await two.fetch(limit: 2) }
      let more = try await two.fetch(limit: 100)
      try require(
        more.changes.isEmpty,
        "it showed \(more.changes.count) changes after it had said that the head was reached")
    },
    fetching(
      "a page that is fetched twice is the same page",
      otherwise: "a lost answer loses what was in it"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<6 { try await one.send([one.note("n\(number)")]) }
      try await two.fetch(limit: 2)
      let request = two.fetchRequest(limit: 2)
      let first = try await two.transport.fetch(request)
      let second = try await two.transport.fetch(request)
      try require(
        first.changes == second.changes && first.cursor == second.cursor,
        "it showed \(second.changes.count) changes the second time and \(first.changes.count) the "
          + "first")
    },
    fetching(
      "what comes while a device reads page by page is not missed",
      otherwise: "a change that was made during a catch-up is lost to that device"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<10 { try await one.send([one.note("n\(number)", title: "old")]) }
      try await two.fetch(limit: 3)
      try await one.send([one.edit(ContractDevice.key("n0"), ["title": .text("new")])])
      try await two.fetch(limit: 3)
      try await one.send([one.death(ContractDevice.key("n1")), one.note("late")])
      try await two.readAll(limit: 3)
      try require(
        two.shown == one.shown,
        "it left the reader with \(two.ids) where \(one.ids) was there at the end")
    },
    fetching(
      "at the head a fetch brings nothing and the place stays usable",
      otherwise: "an idle device works without end, or misses the next change"
    ) { scene in
      let (one, two) = try await scene.pair()
      for _ in 0..<3 {
        let page = try await two.fetch()
        try require(
          page.changes.isEmpty && page.headReached, "it showed changes where nothing had changed")
      }
      try await one.send([one.note("b")])
      try await two.readAll()
      try require(two.ids == ["a", "b"], "it showed \(two.ids) after b had been added")
    },
    fetching(
      "without a cursor the zone is read from its beginning at any time",
      otherwise: "a full compare takes what it does not see for deleted"
    ) { scene in
      let (one, two) = try await scene.pair(sharing: ["a", "b"])
      try await one.send([one.note("c")])
      try await two.readAll()
      let again = try await scene.device(2)
      try await again.readAll(limit: 1)
      try require(again.ids == ["a", "b", "c"], "it showed \(again.ids) from the beginning")
    },
    fetching(
      "a device may read what it sent, and is not told that another one did it",
      otherwise: "a device takes its own changes for another one's and lists them as conflicts"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await two.send([two.note("b")])
      for page in try await one.readAll() {
        for change in page.changes {
          let writer = change.delta.key == ContractDevice.key("a") ? one.info.id : two.info.id
          try require(
            change.device == writer,
            "it named \(change.device) as the writer of what \(writer) wrote")
        }
      }
    },
  ]

  private static func fetching(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("fetching", sentence, otherwise: loss, body: check)
  }
}
