import Strandline

extension TransportContract {
  static let environmentRules: [ContractRule] = [
    environments(
      "a zone of one environment is not opened as the other",
      otherwise: "test data reaches people's devices, or theirs reach a test"
    ) { scene in
      let one = try await scene.device(1)
      try await one.send([one.note("a")])
      if case .available(let deploy) = scene.place.abilities.deploySchema { try await deploy() }
      let two = try await scene.unopened(2)
      let known = one.zone
      let error = try await failure("a known zone of development as one of production") {
        try await two.open(ContractDevice.zoneName, .production, expecting: known)
      }
      try require(error.remedy == .ask, "it asked for \(error.remedy) at a wrong environment")
      let other = try await outcome { try await two.open(ContractDevice.zoneName, .production) }
      guard other == nil else { return }
      try require(two.zone != known, "it opened a zone of development as one of production")
      try await two.readAll()
      try require(two.ids.isEmpty, "it showed records of development in production")
    },
    environments(
      "development learns what is opened and what is sent",
      otherwise: "a developer has to declare every property by hand"
    ) { scene in
      let deploy = try scene.place.abilities.deploySchema.get()
      let one = try await scene.device(1)
      try await one.send([one.note("a", values: ["learned": .integer(1)])])
      try await deploy()
      let schema = ["Note": ContractDevice.schema["Note"] ?? []].mapValues {
        $0.union(["learned"])
      }
      try await scene.unopened(2).open(ContractDevice.zoneName, .production, schema: schema)
    },
    environments(
      "production refuses what was not deployed, and names it",
      otherwise: "an app that works in development does not sync, and nobody knows why"
    ) { scene in
      _ = try scene.place.abilities.deploySchema.get()
      let one = try await scene.unopened(1)
      let error = try await failure("a schema that was never deployed") {
        try await one.open(ContractDevice.zoneName, .production, schema: ["Recipe": ["servings"]])
      }
      try require(
        error.code == .schemaRefused, "it threw '\(error.codeName)' for an unknown schema")
      try require(
        error.message.contains("Recipe") && error.message.contains("servings"),
        "it refused a schema and did not name what has to be deployed: \(error.message)")
    },
    environments(
      "production refuses a record with what was not deployed",
      otherwise: "a property that nobody deployed gets into production for good"
    ) { scene in
      let deploy = try scene.place.abilities.deploySchema.get()
      try await scene.device(1).reopen()
      try await deploy()
      let (two, three) = (try await scene.unopened(2), try await scene.unopened(3))
      for device in [two, three] { try await device.open(ContractDevice.zoneName, .production) }
      let error = try await failure("a record with a property that was never deployed") {
        try await two.deliver(two.group([two.note("a", values: ["unknown": .integer(1)])]))
      }
      try require(
        error.code == .schemaRefused && error.message.contains("unknown"),
        "it threw '\(error.codeName)': \(error.message)")
      try await two.send([two.note("b")])
      try await three.readAll()
      try require(three.ids == ["b"], "it showed \(three.ids) in production")
    },
    environments(
      "what was deployed is accepted",
      otherwise: "a release never syncs"
    ) { scene in
      let deploy = try scene.place.abilities.deploySchema.get()
      let one = try await scene.unopened(1)
      _ = try await failure("a schema that was never deployed") {
        try await one.open(ContractDevice.zoneName, .production)
      }
      try await scene.device(2).reopen()
      try await deploy()
      try await one.open(ContractDevice.zoneName, .production)
      try await one.send([one.note("a")])
    },
  ]

  private static func environments(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("environments", sentence, otherwise: loss, body: check)
  }
}
