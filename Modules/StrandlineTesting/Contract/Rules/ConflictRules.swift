import Strandline

extension TransportContract {
  static let conflictRules: [ContractRule] = [
    conflicts(
      "a value that lost to a concurrent one can be found",
      otherwise: "a person's edit vanishes without a trace"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      let (mine, yours) = (
        one.edit(key, ["title": .text("mine")]), two.edit(key, ["title": .text("yours")])
      )
      try await one.send([mine])
      let end = one.sequence
      try await two.send([yours])
      let pages = try await one.readAll()
      let change = pages.flatMap(\.changes).first {
        $0.delta.key == key && $0.device == two.info.id
      }
      if let seen = change?.seenOfReader {
        try require(
          seen < end,
          "it said that the writer had read change \(end) of the reader, which it had not")
      } else {
        let lost = try require(mine.versions["title"], "no edit")
        try require(
          pages.flatMap(\.conflicts).contains {
            $0.key == key && $0.property == "title" && $0.loser == lost
              && $0.device == one.info.id
          }, "it neither listed a value that lost nor told what its writer had read")
      }
    },
    conflicts(
      "a value that was replaced by somebody who had read it is no conflict",
      otherwise: "people are shown conflicts that never were"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      try await one.send([one.edit(key, ["title": .text("first")])])
      let end = one.sequence
      try await two.readAll()
      try await two.send([two.edit(key, ["title": .text("second")])])
      let pages = try await one.readAll()
      try require(
        pages.allSatisfy(\.conflicts.isEmpty), "it listed a value that was replaced knowingly")
      for change in pages.flatMap(\.changes) where change.device == two.info.id {
        try require(
          change.seenOfReader.map { $0 >= end } ?? true,
          "it said that the writer had read \(change.seenOfReader ?? 0) of \(end) changes")
      }
    },
    conflicts(
      "what a sender found to have lost reaches all others",
      otherwise: "only one device can restore a value that lost"
    ) { scene in
      let (one, two) = try await scene.pair()
      let three = try await scene.device(3)
      let loser = Version(life: one.stamp(), stamp: one.stamp(), value: .text("lost"))
      let entry = ConflictEntry(
        key: ContractDevice.key("a"), property: "title", loser: loser, device: two.info.id)
      try await one.accepted(one.group([one.note("b")], conflicts: [entry]))
      for device in [two, three] {
        try await device.readAll()
        try require(
          device.conflicts.contains(entry),
          "it did not tell \(device.info.name) of a value that a sender had named as lost")
      }
    },
    conflicts(
      "conflicts travel without any record",
      otherwise: "a value that lost is told only with the next edit, which may never come"
    ) { scene in
      let (one, two) = try await scene.pair()
      let loser = Version(life: one.stamp(), stamp: one.stamp(), value: .blob([1]))
      let entry = ConflictEntry(
        key: ContractDevice.key("a"), property: "body", loser: loser, device: one.info.id)
      try await one.accepted(one.group([], conflicts: [entry]))
      try await two.readAll()
      try require(
        two.conflicts.contains(entry), "it dropped conflicts that came without records")
    },
    conflicts(
      "a conflict that is named twice is listed once for each device",
      otherwise: "a list of conflicts grows with every lost answer"
    ) { scene in
      let (one, two) = try await scene.pair()
      let loser = Version(life: one.stamp(), stamp: one.stamp(), value: .text("lost"))
      let entry = ConflictEntry(
        key: ContractDevice.key("a"), property: "title", loser: loser, device: two.info.id)
      let pages = one.group([one.note("b")], conflicts: [entry])
      try await one.accepted(pages)
      try await one.accepted(pages)
      let listed = try await two.readAll().flatMap(\.conflicts)
      try require(listed == [entry], "it listed one conflict \(listed.count) times")
    },
    conflicts(
      "a device's own later value is no conflict with its earlier one",
      otherwise: "every quick second edit is shown as a conflict"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      for text in ["1", "2", "3", "4"] {
        try await one.send([one.edit(key, ["title": .text(text)])])
      }
      try await two.readAll()
      try await one.readAll()
      try require(
        two.conflicts.isEmpty && one.conflicts.isEmpty,
        "it listed a value that its own writer had replaced")
      try require(
        two.shown[key]?["title"]?.value == .text("4"), "it did not show the last of four edits")
    },
  ]

  private static func conflicts(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("conflicts", sentence, otherwise: loss, body: check)
  }
}
