import Strandline

extension TransportContract {
  static let proofRules: [ContractRule] = [
    proofs(
      "what a zone shows never goes back",
      otherwise: "a device takes a healthy zone for a restored one"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      var shown = [try require(one.proof, "it showed no proof at opening")]
      for id in ["a", "b", "c"] {
        shown.append(try await one.send([one.note(id)]).proof)
        try await two.send([two.note(id + "2")])
        shown.append(try await one.fetch().proof)
        shown.append(try await one.reopen().proof)
      }
      for (before, after) in zip(shown, shown.dropFirst()) {
        try require(
          (before.incarnation, before.sequence) <= (after.incarnation, after.sequence),
          "it showed sequence \(after.sequence) after \(before.sequence)")
      }
    },
    proofs(
      "an older proof of the same zone is as good as a new one",
      otherwise: "a device that was away for a week compares everything for nothing"
    ) { scene in
      let (one, two) = try await scene.pair()
      for id in ["b", "c", "d"] { try await one.send([one.note(id)]) }
      try await two.reopen()
      try await two.readAll()
      try require(two.ids == one.ids, "it showed \(two.ids) to a device with an older proof")
    },
    proofs(
      "a proof that the zone never showed is not served",
      otherwise: "a server that was put back goes unnoticed, and acknowledged changes are lost"
    ) { scene in
      let (one, two) = try await scene.pair()
      let real = try require(two.proof, "it showed no proof")
      for invented in [
        Proof(incarnation: real.incarnation, sequence: real.sequence, nonce: ~real.nonce),
        Proof(incarnation: real.incarnation + 5, sequence: real.sequence, nonce: real.nonce),
      ] {
        two.proof = invented
        let fetch = try await failure("a fetch with a proof that it never showed") {
          _ = try await two.transport.fetch(two.fetchRequest())
        }
        let pages = two.group([two.note("x")])
        let send = try await failure("a send with a proof that it never showed") {
          try await two.deliver(pages)
        }
        for error in [fetch, send] {
          try require(
            [.zoneRestored, .zoneReplaced].contains(error.code),
            "it threw '\(error.codeName)' at a proof that it never showed")
        }
      }
      try await one.readAll()
      try require(one.ids == ["a"], "it took a group with a proof that it never showed")
    },
    proofs(
      "a place that was put back tells the device that had sent more",
      otherwise: "changes that were acknowledged are gone and nobody offers them again"
    ) { scene in
      let checkpoint = try scene.place.abilities.checkpoint.get()
      let (one, two) = try await scene.pair()
      let putBack = try await checkpoint()
      try await one.send([one.note("b")])
      try await putBack()
      var isOfferWanted = false
      let error = try await outcome {
        try await one.reopen()
        isOfferWanted = try await one.readAll().contains(where: \.isOfferWanted)
        if !isOfferWanted { try await one.deliver(one.group([one.note("c")])) }
      }
      try require(
        error != nil || isOfferWanted, "it went on with a device whose sent changes were gone")
      try require(
        error.map { [.zoneRestored, .deviceRestored, .cursorExpired].contains($0.code) } ?? true,
        "it threw '\(error?.codeName ?? "")' where it had been put back")
      try await two.reopen()
      try await two.readAll()
      try require(two.ids == ["a"], "it showed \(two.ids) after it was put back to a alone")
    },
    proofs(
      "a place that was put back tells every device that had been shown more",
      otherwise:
        "a device keeps a cursor into changes that are no longer there, and misses new ones"
    ) { scene in
      let checkpoint = try scene.place.abilities.checkpoint.get()
      let (one, two) = try await scene.pair()
      let putBack = try await checkpoint()
      try await one.send([one.note("b")])
      try await two.readAll()
      try await putBack()
      let three = try await scene.device(3)
      try await three.send([three.note("c")])
      var isOfferWanted = false
      let error = try await outcome {
        try await two.reopen()
        isOfferWanted = try await two.readAll().contains(where: \.isOfferWanted)
      }
      if isOfferWanted { return }
      if let error {
        try require(
          error.remedy == .compareAll || error.code == .deviceRestored,
          "it threw '\(error.codeName)' with the remedy \(error.remedy) where it was put back")
      } else {
        try require(
          two.ids.contains("c"), "it showed nothing of what came after it had been put back")
      }
    },
    proofs(
      "an announced restore asks every device for a full compare",
      otherwise: "what the backup lacked is offered by nobody"
    ) { scene in
      let announce = try scene.place.abilities.announceRestore.get()
      let (one, two) = try await scene.pair()
      try await announce()
      for device in [one, two] {
        let error = try await failure("a fetch after an announced restore") {
          try await device.fetch()
        }
        try require(
          error.code == .zoneRestored && error.remedy == .compareAll,
          "it threw '\(error.codeName)' with the remedy \(error.remedy) after an announced restore")
      }
      let fresh = try await scene.device(3)
      try await fresh.readAll()
      try require(fresh.ids == ["a"], "it showed \(fresh.ids) after an announced restore")
    },
  ]

  private static func proofs(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("proofs", sentence, otherwise: loss, body: check)
  }
}
