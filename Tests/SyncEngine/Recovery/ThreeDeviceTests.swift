import Strandline
import StrandlineMemoryTransport
import StrandlineModels
import StrandlineStorage
import Testing

/// F35: what three devices do to one record at once ends alike everywhere, and nothing is lost
/// silently.
@Suite struct ThreeDeviceTests {
  private let scene = RecoveryScene()

  /// Three devices that hold one item, with an edit each, made before any of them syncs.
  private func race(
    _ edits: @Sendable ([TestDevice], RecordID) async throws -> Void
  ) async throws -> ([TestDevice], RecordID) {
    var devices: [TestDevice] = []
    for name in ["a", "b", "c"] { devices.append(try await scene.device(name)) }
    let id = try await devices[0].insert("milk")
    try await settle(devices)
    try await edits(devices, id)
    try await settle(devices.reversed())
    return (devices, id)
  }

  private func settle(_ devices: [TestDevice]) async throws {
    for device in devices + devices + devices { try await device.sync() }
  }

  private func expectAlike(_ devices: [TestDevice], names: [String]) async throws {
    for device in devices {
      #expect(try await device.names() == names)
      #expect(try await device.conflicts() == devices[0].conflicts())
      #expect(try await device.status()?.standing == .caughtUp)
      #expect(try await device.brokenInvariants() == [])
    }
  }

  @Test func `F35: three edits of one property leave the last one and list the others`()
    async throws
  {
    let (devices, _) = try await race { devices, id in
      for device in devices {
        scene.time.advance()
        try await device.rename(id, "milk of \(device.name)")
      }
    }

    try await expectAlike(devices, names: ["milk of c"])
    #expect(try await devices[0].conflicts() == ["name = milk of a", "name = milk of b"])
  }

  @Test func `F35: a delete beats two edits, which are listed and can be restored`() async throws {
    let (devices, id) = try await race { devices, id in
      try await devices[0].delete([id])
      scene.time.advance()
      for device in devices.dropFirst() { try await device.rename(id, "of \(device.name)") }
    }

    try await expectAlike(devices, names: [])
    #expect(try await devices[2].conflicts() == ["name = of b", "name = of c"])
    let item = try #require(
      try await devices[1].store.conflictItems(ownName: "b").first { $0.lostValue == .text("of b") }
    )
    _ = try await devices[1].store.restoreConflict(item.number)
    try await settle(devices)
    for device in devices { #expect(try await device.name(id) == "of b") }
  }

  @Test func `F35: a new life spares what a delete and an edit of the old one say`() async throws {
    let (devices, id) = try await race { devices, id in
      try await devices[0].delete([id])
      try await devices[1].rename(id, "of the old life")
      scene.time.advance()
      try await devices[2].store.write {
        try $0.delete("TodoItem", id)
        try $0.insert("TodoItem", id: id, values: ["name": .text("second life")])
      }
    }

    try await expectAlike(devices, names: ["second life"])
    for device in devices { #expect(try await device.name(id) == "second life") }
  }

  @Test func `F35: one key made on three devices is one record`() async throws {
    let schema = try Schema(
      parsing: """
        {"version":1,"entities":{"Profile":{"attributes":{"mail":{"type":"text","default":""},
        "color":{"type":"text","optional":true}},"identity":["mail"]}}}
        """)
    var devices: [TestDevice] = []
    for name in ["a", "b", "c"] {
      let device = try await scene.device(name, schema: schema)
      scene.time.advance()
      try await device.store.write {
        try $0.insert(
          "Profile", values: ["mail": .text("ann@example.org"), "color": .text("of \(name)")])
      }
      devices.append(device)
    }

    try await settle(devices)

    for device in devices {
      let records = try await device.store.read { try $0.records(Query("Profile")) }
      #expect(records.map { $0["color"] } == [.text("of c")])
      #expect(try await device.conflicts() == ["color = of a", "color = of b"])
    }
  }

  @Test func `F24: fields and entities of a newer model come back whole from an older device`()
    async throws
  {
    let old = """
      {"version":1,"entities":{"Note":{"attributes":{"text":{"type":"text","optional":true}}}}}
      """
    let new = """
      {"version":2,"entities":{"Note":{"attributes":{"text":{"type":"text","optional":true},
      "ink":{"type":"data","optional":true}}},"Pen":{"attributes":{"name":{"type":"text",
      "optional":true}}}}}
      """
    let second = scene.cloud.named("second")
    let newer = try await scene.device("newer", schema: try Schema(parsing: new))
    let older = try await scene.device("older", schema: try Schema(parsing: old))
    let third = try await scene.device("third", schema: try Schema(parsing: new))
    try await third.use(second)
    let (note, pen) = (RecordID(), RecordID())
    let ink = Value.blob([0, 255, 1, 254, 0])
    try await newer.store.write {
      try $0.insert("Note", id: note, values: ["text": .text("one"), "ink": ink])
      try $0.insert("Pen", id: pen, values: ["name": .text("fine")])
    }
    try await scene.settle(newer, older)
    scene.time.advance()
    // The old device edits what it knows, and passes all of it on to another zone.
    try await older.store.write { try $0.update("Note", note, values: ["text": .text("two")]) }
    try await scene.settle(older, newer)
    try await older.use(second)
    try await older.sync()
    try await third.sync()

    for device in [newer, third] {
      let found = try await device.store.read { try $0.record("Note", note) }
      #expect(found?["text"] == .text("two"))
      #expect(found?["ink"] == ink)
      #expect(try await device.store.read { try $0.record("Pen", pen)?["name"] } == .text("fine"))
    }
    #expect(try await older.status()?.setAside == 0)
  }
}
