import Strandline

extension TransportContract {
  static let valueRules: [ContractRule] = [
    values(
      "numbers arrive bit by bit",
      otherwise: "two devices hold different numbers and each sends its own for ever"
    ) { scene in
      try await expectCarried(
        [
          .integer(0), .integer(.min), .integer(.max), .integer(-1), .real(0), .real(-0.0),
          .real(0.1), .real(.pi), .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude),
          .real(.infinity), .real(-.infinity), .real(1), .real(9_007_199_254_740_992),
        ], scene)
    },
    values(
      "text arrives byte by byte",
      otherwise: "a text changes on its way, and both devices take theirs for the newer"
    ) { scene in
      try await expectCarried(
        [
          .text(""), .text("\0"), .text("a\0b"), .text("caf\u{E9}"), .text("cafe\u{301}"),
          .text("\u{1F469}\u{200D}\u{1F680}"), .text("line\nline\r\n\ttab"), .text("\u{FEFF}mark"),
          .text("'quoted' \"twice\" \\"), .text(String(repeating: "long ", count: 2000)),
          .text("\u{7F}\u{80}\u{2028}"), .text("1"), .text("null"),
        ], scene)
    },
    values(
      "blobs and nothing arrive as they are",
      otherwise: "an empty value turns into no value, or the other way"
    ) { scene in
      try await expectCarried(
        [
          .null, .blob([]), .blob([0]), .blob(Array(0...255)),
          .blob([UInt8](repeating: 0xFF, count: 10_000)), .blob([UInt8](repeating: 0, count: 16)),
        ], scene)
    },
    values(
      "ids of every kind name their own record",
      otherwise: "two records become one, or a link points nowhere"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let uuid = RecordID(milliseconds: scene.time.milliseconds, random: 1, more: 2)
      let other = RecordID(milliseconds: scene.time.milliseconds, random: 3, more: 4)
      let ids = [
        uuid, .link(uuid, other), RecordID(text: "plain"), RecordID(text: "a/b ../c:\n"),
        RecordID(text: "caf\u{E9}"), RecordID(text: "cafe\u{301}"), RecordID(text: "A"),
        RecordID(text: "a"), RecordID(text: uuid.description), RecordID(bytes: Array(0..<40)),
        RecordID(text: String(repeating: "k", count: 500)),
      ]
      try await one.send(
        ids.enumerated().map { index, id in
          one.birth(
            RecordKey(entity: "Note", id: id), values: ["title": .integer(Int64(index))])
        })
      try await two.readAll()
      for (index, id) in ids.enumerated() {
        let value = two.shown[RecordKey(entity: "Note", id: id)]?["title"]?.value
        try require(
          value == .integer(Int64(index)),
          "it showed \(value.map { "\($0)" } ?? "nothing") under id \(index), \(id)")
      }
    },
    values(
      "stamps arrive as they are",
      otherwise: "one edit wins on one device and another one elsewhere"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let first = Stamp.firstLife
      let late = Stamp(milliseconds: scene.time.milliseconds, counter: .max)
      try await one.send([
        RecordDelta(
          key: ContractDevice.key("a"), birth: first,
          versions: [
            "title": Version(life: first, stamp: first, value: .text("seed")),
            "body": Version(life: first, stamp: late, value: .text("late")),
            "parent": Version(life: first, stamp: Stamp(rawValue: 2), value: .null),
          ]),
        RecordDelta(key: ContractDevice.key("b"), death: Death(life: first, stamp: late)),
      ])
      try await two.readAll()
      try require(two.shown == one.shown, "it changed a stamp on its way")
    },
    values(
      "a record with many properties arrives whole",
      otherwise: "a wide record loses some of its properties"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let values = Dictionary(
        uniqueKeysWithValues: (0..<300).map { ("property\($0)", Value.integer(Int64($0))) })
      try await one.send([one.birth(ContractDevice.key("a"), values: values)])
      try await two.readAll()
      try require(two.shown == one.shown, "it lost properties of a record that has 300")
    },
  ]

  private static func expectCarried(_ values: [Value], _ scene: ContractScene) async throws {
    let (one, two) = (try await scene.device(1), try await scene.device(2))
    try await one.send(
      values.enumerated().map { one.note("n\($0)", values: ["body": $1]) })
    try await two.readAll()
    for (index, value) in values.enumerated() {
      let found = two.shown[ContractDevice.key("n\(index)")]?["body"]?.value
      try require(
        found == value,
        "it showed \(found.map { "\($0)" } ?? "nothing") where \(value) was sent")
    }
  }

  private static func values(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("values", sentence, otherwise: loss, body: check)
  }
}
