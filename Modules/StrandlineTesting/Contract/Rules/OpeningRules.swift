import Strandline

extension TransportContract {
  static let openingRules: [ContractRule] = [
    opening(
      "the first device makes a zone, and the others find that one",
      otherwise: "two devices of one person never meet"
    ) { scene in
      let (one, two) = (try await scene.unopened(1), try await scene.unopened(2))
      let (made, found) = (try await one.open(), try await two.open())
      try require(made.wasCreated, "it did not say that it made the zone")
      try require(!found.wasCreated, "it said that it made the zone a second time")
      try require(
        made.zone == found.zone, "it gave two devices two zones under one name")
      try require(
        made.account == found.account, "it gave two devices of one account two account ids")
    },
    opening(
      "opening a zone again changes nothing in it",
      otherwise: "each cycle would make work for every other device"
    ) { scene in
      let (one, two) = try await scene.pair()
      let again = try await one.reopen()
      try require(!again.wasCreated && again.zone == one.zone, "it made the zone anew")
      let page = try await two.fetch()
      try require(
        page.changes.isEmpty && page.headReached, "it showed changes after a zone was opened again")
    },
    opening(
      "two names are two zones",
      otherwise: "the records of two apps or two people mix"
    ) { scene in
      let (one, two) = (try await scene.unopened(1), try await scene.unopened(2))
      try await one.open("first")
      try await two.open("second")
      try require(one.zone != two.zone, "it gave one zone under two names")
      try await one.send([one.note("a")])
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed a record of one zone in another")
    },
    opening(
      "any name that people choose names a zone, and always the same one",
      otherwise: "a person's zone cannot be used, or two zones become one"
    ) { scene in
      let names = [
        "Notes", "notes", "my notes", "a/b", "..", "a..b", "CON", "caf\u{E9}",
        "\u{1F4DD} \u{627}\u{644}", String(repeating: "n", count: 200),
      ]
      var zones: Set<ZoneID> = []
      for name in names {
        let made = try await scene.unopened(1).open(name)
        let found = try await scene.unopened(2).open(name)
        try require(made.zone == found.zone, "it gave the name '\(name)' two zones")
        try require(zones.insert(made.zone).inserted, "it gave '\(name)' the zone of another name")
      }
    },
    opening(
      "a zone that is not there is never replaced by a new one",
      otherwise: "a store uploads one person's records into another one's zone"
    ) { scene in
      let device = try await scene.unopened(1)
      let gone = ZoneID(rawValue: String(repeating: "0a", count: 16))
      let error = try await failure("a request for a zone that never was") {
        try await device.open(expecting: gone)
      }
      try require(
        [.zoneNotFound, .zoneReplaced].contains(error.code),
        "it threw '\(error.codeName)' for a zone that never was")
      let made = try await device.open()
      try require(made.wasCreated, "it made a zone although another one was asked for")
      let other = try await failure("a request for another zone than lies under the name") {
        try await device.open(expecting: gone)
      }
      try require(
        [.zoneNotFound, .zoneReplaced].contains(other.code),
        "it threw '\(other.codeName)' where another zone stood under the name")
    },
    opening(
      "the account that is told is the account of the zones",
      otherwise: "a change of the account goes unnoticed and one person's records go to another"
    ) { scene in
      let device = try await scene.unopened(1)
      let state = try await device.transport.account()
      let found = try await device.open()
      try require(
        state == .available(found.account),
        "it told the account \(state) and opened a zone of '\(found.account)'")
    },
    opening(
      "two connections to one place have one specification",
      otherwise: "a store takes one peer for two and uploads everything again"
    ) { scene in
      let (one, two) = (try await scene.connect(1), try await scene.connect(2))
      try require(
        one.specification == two.specification,
        "it called one place '\(one.specification)' and '\(two.specification)'")
      try require(one.traits == two.traits, "it told two kinds of traits of one place")
      try require(
        !TransportSpecification(one.specification).kind.isEmpty, "its specification is empty")
    },
    opening(
      "no call is served for a zone that is not there",
      otherwise: "changes are acknowledged that nobody will ever read"
    ) { scene in
      let device = try await scene.device(1)
      let gone = ZoneID(rawValue: String(repeating: "0b", count: 16))
      var page = device.group([device.note("a")])[0]
      (page.zone, page.proof) = (gone, nil)
      let request = FetchRequest(
        device: device.info, zone: gone, proof: nil, cursor: nil, limit: 10)
      let lostPage = page
      for (call, error) in [
        ("send", try await failure("a send") { _ = try await device.transport.send(lostPage) }),
        ("fetch", try await failure("a fetch") { _ = try await device.transport.fetch(request) }),
      ] {
        try require(
          [.zoneNotFound, .zoneReplaced].contains(error.code),
          "it threw '\(error.codeName)' at a \(call) for a zone that never was")
      }
    },
  ]

  private static func opening(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("opening", sentence, otherwise: loss, body: check)
  }
}
