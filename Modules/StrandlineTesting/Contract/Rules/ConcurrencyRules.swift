import Strandline

extension TransportContract {
  static let concurrencyRules: [ContractRule] = [
    concurrency(
      "what many devices send at once all arrives",
      otherwise: "of two changes at one moment one is lost"
    ) { scene in
      let devices = try await scene.devices(6)
      for round in 0..<3 {
        let work = devices.map { device in
          (device.transport, device.group([device.note("\(device.info.name) \(round)")])[0])
        }
        let answers = try await sendAtOnce(work)
        try require(
          answers.allSatisfy { $0.acceptance != nil }, "it did not accept a group among others")
        for (device, answer) in zip(devices, answers) { device.take(answer) }
      }
      for device in devices { try await device.readAll() }
      for device in devices {
        try require(
          device.ids.count == 18 && device.shown == devices[0].shown,
          "it showed \(device.ids.count) of 18 records that were sent at once")
      }
    },
    concurrency(
      "devices that open a new zone at once meet in it",
      otherwise: "two first devices never meet"
    ) { scene in
      var devices: [ContractDevice] = []
      for number in 1...5 { devices.append(try await scene.unopened(number)) }
      let work = devices.map { ($0.transport, $0.info) }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (transport, info) in work {
          group.addTask {
            _ = try await transport.open(
              OpenRequest(
                device: info, zoneName: ContractDevice.zoneName, environment: .development,
                expected: nil, schema: ContractDevice.schema, proof: nil))
          }
        }
        try await group.waitForAll()
      }
      for device in devices {
        try await device.open()
        try await device.send([device.note(device.info.name)])
      }
      for device in devices {
        try await device.reopen()
        try await device.readAll()
        try require(
          device.ids.count == 5, "it showed \(device.ids.count) of 5 devices' records")
      }
    },
    concurrency(
      "several calls of one connection at once are each answered",
      otherwise: "a refresh during an upload spoils both"
    ) { scene in
      let (one, two) = try await scene.pair()
      let page = two.group([two.note("b")])[0]
      let (transport, request) = (two.transport, two.fetchRequest())
      let receipt = Receipt(
        device: two.info, zone: two.zone, proof: two.proof, cursor: try require(two.cursor, "none"))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { _ = try await transport.send(page) }
        for _ in 0..<4 {
          group.addTask { _ = try await transport.fetch(request) }
          group.addTask { _ = try await transport.exchangeReceipts(receipt) }
          group.addTask { _ = try await transport.account() }
        }
        try await group.waitForAll()
      }
      try await one.readAll()
      try require(one.ids == ["a", "b"], "it showed \(one.ids) after several calls at once")
    },
    concurrency(
      "a send whose task is cancelled has its whole effect or none",
      otherwise: "an app that goes to the background leaves half a group"
    ) { scene in
      let (one, two) = try await scene.pair()
      for round in 0..<8 {
        let ids = (0..<5).map { "\(round)-\($0)" }
        let pages = two.group(ids.map { two.note($0) })
        let transport = two.transport
        let task = Task {
          if round % 2 == 0 { await Task.yield() }
          _ = try await transport.send(pages[0])
        }
        task.cancel()
        _ = await task.result
        try await one.readAll()
        let seen = ids.filter { one.ids.contains($0) }
        try require(
          seen.isEmpty || seen == ids, "it showed \(seen.count) of 5 records of a cancelled send")
        try await two.accepted(pages)
        try await one.readAll()
        try require(
          Set(ids).isSubset(of: one.ids), "it did not take a group again after it was cancelled")
      }
    },
    concurrency(
      "a fetch whose task is cancelled spoils nothing",
      otherwise: "after coming back to the foreground an app never syncs again"
    ) { scene in
      let (one, two) = try await scene.pair()
      for number in 0..<8 {
        try await one.send([one.note("n\(number)")])
        let (transport, request) = (two.transport, two.fetchRequest())
        let task = Task { _ = try await transport.fetch(request) }
        task.cancel()
        _ = await task.result
        try await two.readAll()
        try require(two.ids == one.ids, "it lost a change after a fetch was cancelled")
      }
    },
  ]

  private static func sendAtOnce(
    _ work: [(any Transport, SendPage)]
  ) async throws -> [SendAnswer] {
    try await withThrowingTaskGroup(of: (Int, SendAnswer).self) { group in
      for (index, (transport, page)) in work.enumerated() {
        group.addTask { (index, try await transport.send(page)) }
      }
      var answers = Array(repeating: SendAnswer(), count: work.count)
      for try await (index, answer) in group { answers[index] = answer }
      return answers
    }
  }

  private static func concurrency(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("concurrency", sentence, otherwise: loss, body: check)
  }
}
