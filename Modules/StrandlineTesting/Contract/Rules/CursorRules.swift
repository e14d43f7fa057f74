import Strandline

extension TransportContract {
  static let cursorRules: [ContractRule] = [
    cursors(
      "another connection of the device goes on from its cursor",
      otherwise: "each start of an app reads everything again"
    ) { scene in
      let (one, two) = try await scene.pair()
      two.transport = try await scene.connect(2)
      try await two.reopen()
      try require(
        try await two.fetch().changes.isEmpty, "it showed again what was read before a restart")
      try await one.send([one.note("b")])
      two.transport = try await scene.connect(2)
      try await two.reopen()
      let changes = try await two.readAll().flatMap(\.changes)
      try require(
        changes.map(\.delta.key) == [ContractDevice.key("b")],
        "it showed \(changes.count) changes after a restart where one was new")
    },
    cursors(
      "a cursor between two pages outlives the connection",
      otherwise: "a catch-up that was interrupted begins anew each time and never ends"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<9 { try await one.send([one.note("n\(number)")]) }
      try await two.fetch(limit: 4)
      two.transport = try await scene.connect(2)
      try await two.reopen()
      let rest = try await two.readAll(limit: 4).flatMap(\.changes)
      try require(two.shown == one.shown, "it lost records at a restart between two pages")
      try require(
        rest.count < 9, "it began anew after a restart between two pages")
    },
    cursors(
      "bytes that are no cursor never lose a change",
      otherwise: "a damaged store misses changes for ever and says caught up"
    ) { scene in
      let (one, two) = try await scene.pair(sharing: ["a", "b", "c"])
      let real = try require(two.cursor, "it gave no cursor").bytes
      var garbage: [[UInt8]] = [
        [], [0], [0xFF], Array(repeating: 0xFF, count: 25), Array(repeating: 0, count: 8),
        Array("not a cursor at all".utf8), real + [0],
        Array(repeating: 0x9F, count: 4000),
      ]
      garbage += [real.count / 2, real.count - 1].filter { $0 > 0 }.map { Array(real.prefix($0)) }
      for bytes in garbage {
        let request = FetchRequest(
          device: two.info, zone: two.zone, proof: two.proof, cursor: Cursor(bytes: bytes),
          limit: 100)
        var ids: Set<RecordKey> = []
        let error = try await outcome {
          ids = Set(try await two.transport.fetch(request).changes.map(\.delta.key))
        }
        if let error {
          try require(
            error.remedy == .compareAll,
            "it threw '\(error.codeName)' with the remedy \(error.remedy) at \(bytes.count) bytes "
              + "that are no cursor")
        } else {
          try require(
            ids == Set(one.shown.keys),
            "it answered \(bytes.count) bytes that are no cursor with \(ids.count) of 3 records")
        }
      }
    },
    cursors(
      "a cursor of another zone never loses a change",
      otherwise: "a store that was moved to another zone misses what came first there"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      for number in 0..<5 { try await one.send([one.note("n\(number)")]) }
      try await two.readAll()
      let foreign = two.cursor
      let (writer, reader) = (try await scene.unopened(3), try await scene.unopened(2))
      try await writer.open("other")
      try await writer.send((0..<9).map { writer.note("o\($0)") })
      try await reader.open("other")
      reader.cursor = foreign
      let error = try await outcome { try await reader.readAll() }
      if let error {
        try require(
          error.remedy == .compareAll,
          "it threw '\(error.codeName)' with the remedy \(error.remedy) at another zone's cursor")
      } else {
        try require(
          reader.shown == writer.shown,
          "it showed \(reader.ids.count) of 9 records after another zone's cursor")
      }
    },
    cursors(
      "a cursor that has expired asks for a full compare",
      otherwise: "a device that was away too long keeps what was deleted meanwhile"
    ) { scene in
      let expire = try scene.place.abilities.expireCursors.get()
      let (one, two) = try await scene.pair(sharing: ["a", "b"])
      try await two.report()
      try await one.send([one.death(ContractDevice.key("a")), one.note("c")])
      try await expire()
      try await one.readAll()
      try await one.report()
      try await one.readAll()
      try await one.report()
      let error = try await failure("a fetch after a cursor that has expired") {
        try await two.fetch()
      }
      try require(
        error.code == .cursorExpired && error.remedy == .compareAll,
        "it threw '\(error.codeName)' with the remedy \(error.remedy) for an expired cursor")
      let fresh = try await scene.device(2)
      try await fresh.readAll()
      try require(
        fresh.ids == ["b", "c"], "it showed \(fresh.ids) where b and c were alive")
    },
    cursors(
      "a device that has read everything is not expired by its own reading",
      otherwise: "every device compares everything again and again"
    ) { scene in
      let expire = try scene.place.abilities.expireCursors.get()
      let (one, two) = try await scene.pair()
      try await expire()
      for device in [one, two] {
        try await device.readAll()
        try await device.report()
      }
      try await one.send([one.note("b")])
      try await two.readAll()
      try require(two.ids == ["a", "b"], "it showed \(two.ids) to a device that was never away")
    },
  ]

  private static func cursors(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("cursors", sentence, otherwise: loss, body: check)
  }
}
