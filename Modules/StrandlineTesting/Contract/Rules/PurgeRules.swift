import Strandline

extension TransportContract {
  static let purgeRules: [ContractRule] = [
    purging(
      "everybody else learns that the zone was purged, and by whom",
      otherwise: "a device says not found, and its person does not know what happened"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await purge(one)
      let pages = two.group([two.note("b")])
      for (name, call) in try two.calls(sending: pages) {
        let error = try await failure("\(name) after a purge", call)
        try require(
          error.code == .zonePurged, "it threw '\(error.codeName)' at \(name) after a purge")
        let told = error.message + error.context.values.joined()
        try require(
          told.contains(one.info.name), "it did not say at \(name) who had purged the zone")
      }
    },
    purging(
      "nothing is left to read after a purge",
      otherwise: "records that a person wanted gone are still there"
    ) { scene in
      let (one, _) = try await scene.pair(sharing: ["a", "b", "c"])
      try await purge(one)
      let three = try await scene.device(3)
      try await three.readAll()
      try require(three.ids.isEmpty, "it showed \(three.ids) after a purge")
    },
    purging(
      "nothing is uploaded into a purged zone unasked",
      otherwise: "another device puts everything back that a person wanted gone"
    ) { scene in
      let (one, two) = try await scene.pair()
      let pages = two.group([two.note("b")])
      try await purge(one)
      _ = try await failure("a send after a purge") { try await two.deliver(pages) }
      let three = try await scene.device(3)
      try await three.readAll()
      try require(three.ids.isEmpty, "it took \(three.ids) into a purged zone")
    },
    purging(
      "a group that was begun before a purge is gone",
      otherwise: "half an upload comes back after a purge"
    ) { scene in
      let (one, two) = try await scene.pair()
      let pages = two.group(["b", "c"].map { two.note($0) }, pageSize: 1)
      _ = try await two.transport.send(pages[0])
      try await purge(one)
      _ = try await failure("the last page of a group after a purge") {
        try await two.deliver([pages[1]])
      }
    },
    purging(
      "a purge that comes twice is one purge",
      otherwise: "a lost answer keeps a purge pending for ever, or purges what came after it"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await purge(one)
      try await purge(one)
      let error = try await failure("an open after a purge") { try await two.reopen() }
      try require(
        error.code == .zonePurged, "it threw '\(error.codeName)' after a purge that came twice")
    },
    purging(
      "after a purge the zone can be used anew by who chooses to",
      otherwise: "a person who changed their mind can never sync under this name again"
    ) { scene in
      let (one, _) = try await scene.pair()
      try await purge(one)
      let (four, five) = (try await scene.device(4), try await scene.device(5))
      try await four.send([four.note("new")])
      try await five.readAll()
      try require(five.ids == ["new"], "it showed \(five.ids) in a zone that was begun anew")
      let restarted = try await scene.device(1)
      try await restarted.readAll()
      try require(
        restarted.ids == ["new"], "it showed \(restarted.ids) to the device that had purged")
    },
    purging(
      "who knew the purged zone is told so even after it was begun anew",
      otherwise: "a device uploads the purged records into the new zone"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await purge(one)
      let four = try await scene.device(4)
      try await four.send([four.note("new")])
      let error = try await failure("an open of a purged zone that was begun anew") {
        try await two.reopen()
      }
      try require(
        [.zonePurged, .zoneReplaced].contains(error.code),
        "it threw '\(error.codeName)' for a purged zone that was begun anew")
    },
  ]

  private static func purge(_ device: ContractDevice) async throws {
    try await device.transport.purge(PurgeRequest(device: device.info, zone: device.zone))
  }

  private static func purging(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("purging", sentence, otherwise: loss, body: check)
  }
}
