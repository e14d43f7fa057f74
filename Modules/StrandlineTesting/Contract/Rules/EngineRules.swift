import Strandline
import StrandlineFaults

extension TransportContract {
  static let engineRules: [ContractRule] = [
    engine(
      "stores that were edited at random end equal", otherwise: "devices differ for ever"
    ) { scene in
      try await expectRest(scene, seeds: 1...3, faults: [])
    },
    engine(
      "stores that were edited at random over bad links end equal",
      otherwise: "devices differ for ever after a bad day of the network"
    ) { scene in
      try await expectRest(scene, seeds: 11...13, faults: Fleet.usualFaults)
    },
    engine(
      "an upload whose answer is lost is resumed and doubles nothing",
      otherwise: "records double, or an upload never ends"
    ) { scene in
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      let titles = (10..<40).map { "note \($0)" }
      try await one.save(titles)
      for fault in [Fault.loseReply, .duplicate, .corrupt, .loseReply] {
        one.panel.update { $0.rates = [fault: 0.5] }
        _ = try await one.synced.syncNow()
        one.panel.update { $0.rates = [:] }
        try await two.sync()
        let seen = try await two.titles()
        try require(
          seen.isEmpty || seen == titles, "it showed \(seen.count) of 30 records of one save")
      }
      try await one.sync()
      try await two.sync()
      try require(try await two.titles() == titles, "it lost or doubled records of an upload")
      let again = try await two.sync()
      try require(again.imported == 0, "it showed \(again.imported) records once more")
      let quiet = try await one.sync()
      try require(quiet.exported == 0, "it left \(quiet.exported) records to be sent again")
    },
    engine(
      "a record that is refused is set aside and the rest arrives",
      otherwise: "one large record stops the sync of everything"
    ) { scene in
      let limit = try await scene.device(9).limits.recordBytes
      guard limit <= 1 << 20 else {
        throw MissingAbility(reason: "its records may be larger than a check should make them")
      }
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      try await one.save(["a", String(repeating: "x", count: limit + 1), "b"])
      let report = try await one.sync()
      try require(report.setAside == 1, "it led to \(report.setAside) records set aside, not 1")
      try await two.sync()
      try require(
        try await two.titles() == ["a", "b"],
        "it did not show what was saved beside a record that "
          + "was too large")
    },
    engine(
      "after a purge the other stores keep their records and stop",
      otherwise: "a purge on one device deletes records on another, or is undone by it"
    ) { scene in
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      try await one.save(["a"])
      try await one.sync()
      try await two.sync()
      let device = try await scene.device(1)
      try await device.transport.purge(PurgeRequest(device: device.info, zone: device.zone))
      try await two.save(["b"])
      for _ in 0..<2 {
        let report = try await two.synced.syncNow()
        try require(
          report.error?.codeName == "zonePurged",
          "it told a store '\(report.error?.codeName ?? "nothing")' after a purge")
      }
      try require(
        try await two.titles() == ["a", "b"], "it made a store lose records at a purge")
      let newcomer = try await store(3, scene)
      try await newcomer.sync()
      try require(try await newcomer.titles().isEmpty, "it let a store undo a purge unasked")
    },
    engine(
      "after the place was put back the stores offer again what it lacks",
      otherwise: "what was sent after the backup is lost to every new device"
    ) { scene in
      let checkpoint = try scene.place.abilities.checkpoint.get()
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      try await one.save(["a"])
      try await one.sync()
      try await two.sync()
      let putBack = try await checkpoint()
      try await one.save(["b"])
      try await one.sync()
      try await two.sync()
      try await putBack()
      try await one.save(["c"])
      try await two.save(["d"])
      let newcomer = try await store(3, scene)
      for _ in 0..<4 {
        for store in [one, two, newcomer] { _ = try await store.synced.syncNow() }
      }
      for store in [one, two, newcomer] {
        let titles = try await store.titles()
        try require(
          titles == ["a", "b", "c", "d"],
          "it left store \(store.number) with \(titles) after it had been put back")
      }
    },
    engine(
      "a store that is signed out goes on saving and catches up later",
      otherwise: "edits that were made while signed out are lost"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      try await one.save(["a"])
      try await one.sync()
      try await two.sync()
      try await signIn(2, nil)
      try await two.save(["b"])
      let report = try await two.synced.syncNow()
      try require(report.error != nil, "it let a store sync while nobody was signed in")
      try require(
        try await two.titles() == ["a", "b"], "it made a store lose records by signing out")
      try await signIn(2, "first")
      try await two.sync()
      try await one.sync()
      try require(
        try await one.titles() == ["a", "b"], "it lost what was saved while signed out")
    },
    engine(
      "a store whose account changes uploads nothing to the other account",
      otherwise: "one person's records go to another person"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let one = try await store(1, scene)
      guard !one.isEphemeral else {
        throw MissingAbility(reason: "its zones end with the process, and stores follow them anew")
      }
      try await one.save(["a"])
      try await one.sync()
      try await signIn(1, "second")
      try await one.save(["b"])
      let report = try await one.synced.syncNow()
      try require(report.error != nil, "it let a store sync with another account")
      try await signIn(2, "second")
      let two = try await store(2, scene)
      try await two.sync()
      try require(
        try await two.titles().isEmpty, "it took one account's records into another one's zone")
    },
    engine(
      "stores that were offline catch up when the place is back",
      otherwise: "a device that was offline never syncs again"
    ) { scene in
      let setReachable = try scene.place.abilities.setReachable.get()
      let (one, two) = (try await store(1, scene), try await store(2, scene))
      try await one.save(["a"])
      try await one.sync()
      try await two.sync()
      try await setReachable(false)
      try await one.save(["b"])
      try await two.save(["c"])
      for store in [one, two] {
        let report = try await store.synced.syncNow()
        try require(report.error != nil, "it let a store sync while it was away")
        try require(
          try await store.titles().count == 2, "it made a store lose records by being away")
      }
      try await setReachable(true)
      for _ in 0..<2 { for store in [one, two] { try await store.sync() } }
      for store in [one, two] {
        let titles = try await store.titles()
        try require(titles == ["a", "b", "c"], "it left a store with \(titles)")
      }
    },
  ]

  private static func store(
    _ number: Int, _ scene: ContractScene
  ) async throws -> ContractStore {
    try await ContractStore(number, in: scene)
  }

  private static func expectRest(
    _ scene: ContractScene, seeds: ClosedRange<UInt64>, faults: Set<Fault>
  ) async throws {
    let schema = try ContractModel.schema()
    for seed in seeds {
      let (fleet, place) = try await Fleet.meeting(
        seed: seed, deviceCount: 3, schema: schema, faults: faults, in: scene.subject)
      do {
        for _ in 0..<40 { try await fleet.step() }
        try await fleet.heal()
        let findings = try await fleet.findings()
        try require(
          findings.isEmpty,
          "with seed \(seed) it left stores that differ: "
            + findings.prefix(3).joined(separator: " "))
      } catch {
        await place.close()
        throw error
      }
      await place.close()
    }
  }

  private static func engine(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("engine", sentence, otherwise: loss, body: check)
  }
}
