import Strandline

extension TransportContract {
  static let acceptedGroupRules: [ContractRule] = [
    accepted(
      "opening tells the end of the device's own last group",
      otherwise: "a store that was restored from a backup is not noticed, and its changes are lost"
    ) { scene in
      let (one, two) = (try await scene.unopened(1), try await scene.device(2))
      try require(
        try await one.open().lastAccepted == nil, "it told a new device of a group of its own")
      try await two.send([two.note("z")])
      try require(
        try await one.reopen().lastAccepted == nil, "it told a device of another one's group")
      for ids in [["a"], ["b", "c"]] {
        let pages = one.group(ids.map { one.note($0) })
        try await one.accepted(pages)
        try await expect(pages[0].group, toBeLastOf: one)
      }
    },
    accepted(
      "another connection is told the same last group",
      otherwise: "after a restart a lost answer cannot be told from a restored store"
    ) { scene in
      let one = try await scene.device(1)
      let pages = one.group([one.note("a")])
      try await one.accepted(pages)
      one.transport = try await scene.connect(1)
      try await expect(pages[0].group, toBeLastOf: one)
    },
    accepted(
      "a group that was not accepted is not told as accepted",
      otherwise: "changes leave the queue although nobody has them"
    ) { scene in
      let one = try await scene.device(1)
      let pages = one.group([one.note("a")])
      try await one.accepted(pages)
      let begun = one.group(["b", "c"].map { one.note($0) }, pageSize: 1)
      _ = try await one.transport.send(begun[0])
      try await expect(pages[0].group, toBeLastOf: one)
      let bytes = [UInt8](repeating: 7, count: one.limits.recordBytes + 1)
      let large = one.note("d", values: ["body": .blob(bytes)])
      _ = try await one.deliver(one.group([large]))
      try await expect(pages[0].group, toBeLastOf: one)
    },
    accepted(
      "a group whose answer was lost is told as accepted",
      otherwise: "a change that had arrived is sent again and again"
    ) { scene in
      let one = try await scene.device(1)
      let pages = one.group([one.note("a")])
      _ = try await one.transport.send(pages[0])
      try await expect(pages[0].group, toBeLastOf: one)
    },
    accepted(
      "a device under a new identity has sent nothing yet",
      otherwise: "a store that was restored takes the groups of its former self for its own"
    ) { scene in
      let one = try await scene.device(1)
      try await one.send([one.note("a")])
      let renewed = try await scene.unopened(1, epoch: 2)
      try require(
        try await renewed.open().lastAccepted == nil,
        "it told a new identity of the groups of the old one")
      try await renewed.readAll()
      try require(
        renewed.ids == ["a"], "it did not show a new identity what the old one had sent")
      try await renewed.send([renewed.note("b")])
      let two = try await scene.device(2)
      try await two.readAll()
      try require(two.ids == ["a", "b"], "it showed \(two.ids) of two identities of a device")
    },
  ]

  private static func expect(
    _ group: GroupHeader, toBeLastOf device: ContractDevice
  ) async throws {
    let told = try await device.reopen().lastAccepted
    let wanted = AcceptedGroup(
      sequence: group.sequence, transactionToken: group.transactionToken)
    try require(
      told == wanted,
      "it told sequence \(told.map { "\($0.sequence)" } ?? "none") as accepted last where it was "
        + "\(wanted.sequence)"
        + (told?.sequence == wanted.sequence ? ", under another token" : ""))
  }

  private static func accepted(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("last group", sentence, otherwise: loss, body: check)
  }
}
