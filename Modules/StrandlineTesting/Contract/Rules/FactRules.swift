import Strandline

extension TransportContract {
  static let factRules: [ContractRule] = [
    facts(
      "an edit of one property travels alone and leaves the others",
      otherwise: "an edit on one device undoes an edit of another property"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let key = ContractDevice.key("a")
      try await one.send([one.note("a", title: "old", values: ["body": .text("old")])])
      try await two.readAll()
      try await two.send([two.edit(key, ["body": .text("new")])])
      try await one.send([one.edit(key, ["title": .text("new")])])
      for device in [one, two] {
        try await device.readAll()
        let values = device.shown[key]?.mapValues(\.value)
        try require(
          values == ["title": .text("new"), "body": .text("new")],
          "it showed \(values ?? [:]) after two devices had edited two properties")
      }
    },
    facts(
      "a birth without any property makes a record",
      otherwise: "an empty record is there on one device alone"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      try await one.send([one.birth(ContractDevice.key("a"), values: [:])])
      try await two.readAll()
      try require(two.ids == ["a"], "it did not show a record without properties")
    },
    facts(
      "a delete reaches everybody who has the record",
      otherwise: "a deleted record stays on a device for ever"
    ) { scene in
      let (one, two) = try await scene.pair(sharing: ["a", "b"])
      try await one.send([one.death(ContractDevice.key("a"))])
      try await two.readAll()
      try require(two.ids == ["b"], "it showed \(two.ids) after a was deleted")
      let three = try await scene.device(3)
      try await three.readAll()
      try require(three.ids == ["b"], "it showed a newcomer \(three.ids) after a was deleted")
    },
    facts(
      "an edit of a life that was deleted does not bring it back",
      otherwise: "deleted records return from a device that was away"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      let edit = two.edit(key, ["title": .text("unaware")])
      try await one.send([one.death(key)])
      try await two.send([edit])
      let three = try await scene.device(3)
      for device in [one, two, three] {
        try await device.readAll()
        try require(device.ids.isEmpty, "it showed a record that was deleted, after a stale edit")
      }
    },
    facts(
      "a sender that speaks of a life that is over learns that it is over",
      otherwise: "a record lives on with the one device that missed its delete"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      let old = try require(one.states[key]?.born, "no birth was sent")
      try await one.send([one.death(key)])
      try await two.readAll()
      // The third has never been told: it has the record from elsewhere, and reads the zone
      // without what died before.
      let three = try await scene.device(3)
      try await three.readAll()
      let stale = RecordDelta(
        key: key, birth: old,
        versions: ["title": Version(life: old, stamp: three.stamp(), value: .text("bridged"))])
      try await three.send([stale])
      try await three.readAll()
      try require(three.ids.isEmpty, "it let a device keep a record that was deleted before")
      try await two.readAll()
      try require(two.ids.isEmpty, "it let a birth return that was deleted before")
    },
    facts(
      "a new life after a delete lives, and shows nothing of the old one",
      otherwise: "a record that was made again is dead, or shows values of its former life"
    ) { scene in
      let (one, two) = try await scene.pair()
      let key = ContractDevice.key("a")
      let late = two.edit(key, ["body": .text("of the old life")])
      try await one.send([one.death(key)])
      try await one.send([one.birth(key, values: ["title": .text("again")])])
      try await two.send([late])
      for device in [one, two] {
        try await device.readAll()
        let values = device.shown[key]?.mapValues(\.value)
        try require(
          values == ["title": .text("again")], "it showed \(values ?? [:]) of a new life")
      }
    },
    facts(
      "an edit that comes before its birth is kept for it",
      otherwise: "an edit that took another way than its record is lost"
    ) { scene in
      let (one, two, three) = (
        try await scene.device(1), try await scene.device(2), try await scene.device(3)
      )
      let birth = one.note("a", title: "born")
      let life = try require(birth.birth, "no birth")
      let early = RecordDelta(
        key: birth.key,
        versions: ["title": Version(life: life, stamp: life.next, value: .text("edited"))])
      try await two.send([early])
      try await three.readAll()
      try require(three.ids.isEmpty, "it showed a record of which only an edit had come")
      try await one.send([birth])
      let four = try await scene.device(4)
      for device in [three, four] {
        try await device.readAll()
        let title = device.shown[birth.key]?["title"]?.value
        try require(title == .text("edited"), "it lost an edit that came before its birth")
      }
    },
    facts(
      "entities and properties that nobody deployed a model for are carried untouched",
      otherwise: "an older app strips what a newer one wrote"
    ) { scene in
      let (one, two) = (try await scene.device(1), try await scene.device(2))
      let key = RecordKey(entity: "Later thing/\u{E9}", id: RecordID(text: "x"))
      try await one.send([
        one.birth(key, values: ["a new property": .integer(1), "\u{1F4A1}": .text("idea")]),
        one.note("a", values: ["unheard of": .blob([0, 1, 2])]),
      ])
      try await two.readAll()
      try require(two.shown == one.shown, "it changed what it does not know")
    },
    facts(
      "two devices that merge the same facts show the same, whoever sent last",
      otherwise: "devices differ for ever after they edited the same"
    ) { scene in
      let devices = try await scene.devices(3)
      let key = ContractDevice.key("a")
      try await devices[0].send([devices[0].note("a", title: "0")])
      for device in devices { try await device.readAll() }
      let edits = devices.map { $0.edit(key, ["title": .text($0.info.name)]) }
      for (device, edit) in zip(devices, edits).reversed() { try await device.send([edit]) }
      for device in devices { try await device.readAll() }
      let newcomer = try await scene.device(4)
      try await newcomer.readAll()
      for device in devices + [newcomer] {
        try require(
          device.shown == devices[0].shown,
          "it left \(device.info.name) with \(device.shown[key] ?? [:]) and "
            + "\(devices[0].info.name) with \(devices[0].shown[key] ?? [:])")
      }
    },
  ]

  private static func facts(
    _ sentence: String, otherwise loss: String,
    check: @escaping @Sendable (ContractScene) async throws -> Void
  ) -> ContractRule {
    ContractRule("facts", sentence, otherwise: loss, body: check)
  }
}
