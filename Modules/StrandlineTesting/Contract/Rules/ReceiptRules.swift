import Strandline

extension TransportContract {
  static let receiptRules: [ContractRule] = [
    receipts(
      "who has imported a change is told to who made it",
      otherwise: "nobody can say whether a change has arrived anywhere"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let position = try await one.send([one.note("a")]).position
      try await one.readAll()
      try await two.readAll()
      try await two.report()
      let report = try await found(two, by: one)
      try require(
        report.position >= position,
        "it told that a device had imported up to \(report.position) where it had imported "
          + "\(position)")
      try require(
        report.device.name == two.info.name, "it named a device '\(report.device.name)'")
      let distance = abs(report.reportedAt - scene.time.milliseconds)
      try require(
        distance < 60_000, "it told a time that is \(distance) milliseconds off")
    },
    receipts(
      "nothing is reported as imported that was not",
      otherwise: "the status says seen by a device that has seen nothing"
    ) { scene in
      let (one, two, three) = (
        try await scene.device(1), try await scene.device(2), try await scene.device(3)
      )
      try await one.send([one.note("a")])
      for device in [one, two, three] {
        try await device.readAll()
        try await device.report()
      }
      let position = try await one.send([one.note("b")]).position
      try await two.readAll()
      try await two.report()
      try await one.readAll()
      for report in try await one.report() where report.device.id == three.info.id {
        try require(
          report.position < position, "it told that a device had imported what it had not read")
      }
      try require(
        try await found(two, by: one).position >= position,
        "it did not tell that another device had imported a change")
    },
    receipts(
      "a device is not told of itself",
      otherwise: "a device counts itself among those that have seen its changes"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await one.readAll()
      try await two.report()
      for _ in 0..<2 {
        let reports = try await one.report()
        try require(
          reports.allSatisfy { $0.device.id != one.info.id }, "it told a device of itself")
        try require(
          Set(reports.map(\.device.id)).count == reports.count, "it told twice of one device")
      }
    },
    receipts(
      "a receipt that comes twice counts once",
      otherwise: "a lost answer moves what others are waited for"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await one.readAll()
      try await two.report()
      let first = try await found(two, by: one)
      try await two.report()
      let second = try await found(two, by: one)
      try require(
        first.position == second.position, "it told another position after a repeated receipt")
    },
    receipts(
      "a receipt that comes late takes nothing back",
      otherwise: "a change that was seen is shown as not seen"
    ) { scene in
      let (one, two) = try await scene.pair()
      let (oldCursor, oldProof) = (two.cursor, two.proof)
      let position = try await one.send([one.note("b")]).position
      try await one.readAll()
      try await two.readAll()
      try await two.report()
      (two.cursor, two.proof) = (oldCursor, oldProof)
      try await two.report()
      let report = try await found(two, by: one)
      try require(
        report.position >= position,
        "it told the position \(report.position) after it had told \(position)")
    },
    receipts(
      "a device is reported by the name that it said last",
      otherwise: "a person looks for a device that was renamed long ago"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await one.readAll()
      try await two.report()
      let cursor = try require(two.cursor, "it gave no cursor")
      _ = try await two.transport.exchangeReceipts(
        Receipt(
          device: DeviceInfo(id: two.info.id, name: "kitchen"), zone: two.zone, proof: two.proof,
          cursor: cursor))
      let name = try await found(two, by: one).device.name
      try require(name == "kitchen", "it named a device '\(name)' that is now called 'kitchen'")
    },
    receipts(
      "bytes that are no cursor report nothing",
      otherwise: "a damaged store moves the fence, and deletes are never told to others"
    ) { scene in
      let (one, two) = try await scene.pair()
      try await one.readAll()
      for bytes in [[0xFF], Array(repeating: 0xFF, count: 25), Array("no cursor".utf8)] {
        let error = try await outcome {
          _ = try await two.transport.exchangeReceipts(
            Receipt(
              device: two.info, zone: two.zone, proof: two.proof, cursor: Cursor(bytes: bytes)))
        }
        try require(
          error?.remedy == .compareAll,
          "it took \(bytes.count) bytes that are no cursor for a receipt")
      }
      let position = try await one.send([one.note("b")]).position
      for report in try await one.report() where report.device.id == two.info.id {
        try require(report.position < position, "it told a position that nobody had reported")
      }
    },
  ]

  private static func found(
    _ device: ContractDevice, by asker: ContractDevice
  ) async throws -> DeviceReport {
    let reports = try await asker.report()
    return try require(
      reports.first { $0.device.id == device.info.id },
      "it did not tell of a device that had reported")
  }

  private static func receipts(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("receipts", sentence, otherwise: loss, body: check)
  }
}
