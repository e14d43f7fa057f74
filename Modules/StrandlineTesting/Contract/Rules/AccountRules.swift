import Strandline

extension TransportContract {
  static let accountRules: [ContractRule] = [
    accounts(
      "while nobody is signed in nothing is served, and afterwards everything goes on",
      otherwise: "a device that is signed out deletes what it has, or never comes back"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let (one, two) = try await scene.pair()
      try await signIn(2, nil)
      let state = try await two.transport.account()
      if case .available(let account) = state {
        throw ContractBreach("it told the account '\(account)' while nobody was signed in")
      }
      let pages = two.group([two.note("b")])
      for error in [
        try await failure("an open while nobody was signed in") { try await two.reopen() },
        try await failure("a fetch while nobody was signed in") { try await two.fetch() },
        try await failure("a send while nobody was signed in") { try await two.deliver(pages) },
      ] {
        try require(
          [.accountUnavailable, .notAuthorized].contains(error.code),
          "it threw '\(error.codeName)' while nobody was signed in")
      }
      try await signIn(2, "first")
      try await two.reopen()
      try await two.accepted(pages)
      try await one.readAll()
      try require(one.ids == ["a", "b"], "it showed \(one.ids) after signing in again")
    },
    accounts(
      "another account sees nothing of the first",
      otherwise: "one person's records are shown to another"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let one = try await scene.device(1)
      try await one.send([one.note("a")])
      try await signIn(2, "second")
      let two = try await scene.unopened(2)
      let found = try await two.open()
      try require(
        found.zone != one.zone && found.wasCreated, "it opened the zone of another account")
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed \(two.ids) of another account")
      let state = try await two.transport.account()
      try require(
        state == .available(found.account), "it told \(state) where '\(found.account)' was open")
    },
    accounts(
      "another account cannot use the first one's zone even if it knows the id",
      otherwise: "a device that changes its account writes into the former one's records"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let (one, two) = try await scene.pair()
      let first = try await two.transport.account()
      try await signIn(2, "second")
      try require(
        try await two.transport.account() != first, "it told one id for two accounts")
      let pages = two.group([two.note("b")])
      for (name, error) in [
        ("open", try await failure("an open by another account") { try await two.reopen() }),
        ("fetch", try await failure("a fetch by another account") { try await two.fetch() }),
        ("send", try await failure("a send by another account") { try await two.deliver(pages) }),
        (
          "purge",
          try await failure("a purge by another account") {
            try await two.transport.purge(PurgeRequest(device: two.info, zone: two.zone))
          }
        ),
      ] {
        try require(
          [.zoneNotFound, .notAuthorized, .zoneReplaced].contains(error.code),
          "it threw '\(error.codeName)' at a \(name) by another account")
      }
      try await one.readAll()
      try require(one.ids == ["a"], "it let another account change a zone to \(one.ids)")
    },
    accounts(
      "one device's signing out leaves the others alone",
      otherwise: "signing out on one device stops the sync of all"
    ) { scene in
      let signIn = try scene.place.abilities.signIn.get()
      let (one, two) = try await scene.pair()
      try await signIn(1, nil)
      try await two.reopen()
      try await two.send([two.note("b")])
      try await signIn(1, "first")
      try await one.reopen()
      try await one.readAll()
      try require(one.ids == ["a", "b"], "it showed \(one.ids) after signing in again")
    },
  ]

  private static func accounts(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("accounts", sentence, otherwise: loss, body: check)
  }
}
