import Strandline

extension Gate {
  /// All gates in the order in which they run.
  static let all: [Gate] = peer + way + visible + away + trouble + whole
}

extension GateFailure {
  /// Throws where something else was observed than a gate asks for.
  static func expect(_ holds: Bool, _ message: @autoclosure () -> String) throws {
    if !holds { throw notSeen(message()) }
  }
}

// The peer itself, before any device.
extension Gate {
  fileprivate static let peer = [
    Gate(name: "peer", title: "the peer answers", isBasis: true) { verification in
      try verification.place.makeFolder()
      let reader = verification.reader
      let account = try await Deadline.within(DeviceTask.seconds, "the peer") {
        try await reader.account()
      }
      return .passed(verification.place.transport.traits.hasAccounts ? "account \(account)" : "")
    },
    Gate(name: "environment", title: "the environment knows the model", isBasis: true) {
      verification in
      let reader = verification.reader
      try await Deadline.within(DeviceTask.seconds, "the peer") { try await reader.open() }
      let place = verification.place
      return .passed(
        "\(place.environment.rawValue), "
          + Wording.count(place.schema.syncedKeys.count, "entity", plural: "entities"))
    },
  ]
}

// One record from one device to the other.
extension Gate {
  fileprivate static let way = [
    Gate(name: "devices", title: "A and B open their stores", isBasis: true) { verification in
      _ = try await verification.pair()
      return .passed(
        verification.place.hasProcesses
          ? "two processes" : "in one process, since no other one can reach the peer")
    },
    Gate(name: "saveOnA", title: "save on A", isBasis: true) { verification in
      let (a, _) = try await verification.pair()
      let id = try await a.insert("saved on A")
      verification.first = id
      let record = try await a.record(id)
      try GateFailure.expect(
        record.savedAt != nil && record.text == "saved on A",
        "Could not see the save on A, the record does not stand in its history.")
      return .passed("")
    },
    Gate(name: "exportOnA", title: "export on A", isBasis: true) { verification in
      let (a, _) = try await verification.pair()
      let cycle = try await a.sync()
      let sight = try await a.look(verification.first)
      try GateFailure.expect(
        sight.record?.exportedAt != nil && sight.pending == 0,
        "Could not see the export on A, \(Wording.count(sight.pending, "change")) waits.")
      return .passed(Wording.count(cycle.exported, "record") + " acknowledged")
    },
    Gate(name: "importOnB", title: "import on B", isBasis: true) { verification in
      let (_, b) = try await verification.pair()
      let cycle = try await b.sync()
      let record = try await b.record(verification.first)
      try GateFailure.expect(
        record.text == "saved on A",
        "Could not see the import on B, the record is not there.")
      return .passed(Wording.count(cycle.imported, "record") + " imported")
    },
    Gate(name: "mergedOnB", title: "history merged on B") { verification in
      let (_, b) = try await verification.pair()
      try await b.run(.waitForView(verification.first, "saved on A"))
      let record = try await b.record(verification.first)
      try GateFailure.expect(
        record.imports == 1 && record.shownAt != nil,
        "Could not see the merge on B, its visible list has not processed the import.")
      return .passed("")
    },
    Gate(name: "logOnB", title: "B's log shows the remote change") { verification in
      let (_, b) = try await verification.pair()
      let sight = try await b.look(verification.first)
      try GateFailure.expect(
        sight.hasImportEvent && sight.record?.imports == 1,
        "Could not see the change in the log of B, no import that succeeded stands there.")
      return .passed("")
    },
    Gate(name: "peerShows", title: "the peer shows the record") { verification in
      let reader = verification.reader
      let key = RecordKey(entity: verification.place.model.key, id: verification.first)
      let changes = try await Deadline.within(DeviceTask.seconds, "the peer") {
        try await reader.changes(of: key)
      }
      try GateFailure.expect(
        changes.contains { $0.birth != nil && $0.death == nil },
        "Could not see the record at the peer, a read from the beginning does not show it.")
      return .passed("read through the transport alone")
    },
  ]
}

// What an app shows while it is open.
extension Gate {
  fileprivate static let visible = [
    Gate(name: "liveViewOnB", title: "B's visible list updates without a relaunch") {
      verification in
      let (a, b) = try await verification.pair()
      try await b.run(.startSyncing)
      try await a.run(.edit(verification.first, "edited on A"))
      try await a.sync()
      try await b.run(.waitForView(verification.first, "edited on A"))
      try await b.run(.stopSyncing)
      return .passed("")
    },
    Gate(name: "rapidToggles", title: "5 rapid toggles all arrive") { verification in
      let (a, b) = try await verification.pair()
      let before = try await a.record(verification.first)
      try await a.run(.toggle(verification.first, times: 5))
      try await a.sync()
      let after = try await a.look(verification.first)
      try GateFailure.expect(
        after.record?.transactions == before.transactions + 5
          && after.record?.isOn == !before.isOn,
        "Could not see the toggles on A, its history does not hold all of them.")
      try GateFailure.expect(
        after.pending == 0 && after.record?.exportedAt != nil,
        "Could not see the toggles acknowledged, \(Wording.count(after.pending, "change")) waits.")
      try await b.sync()
      let there = try await b.record(verification.first)
      try GateFailure.expect(
        there.isOn == after.record?.isOn,
        "Could not see the last toggle on B, another value is there.")
      return .passed("all acknowledged, the last value won")
    },
    Gate(name: "foreground", title: "to the background and back") { verification in
      let (a, b) = try await verification.pair()
      try await b.run(.startSyncing)
      try await b.run(.enterBackground)
      let id = try await a.insert("made while B was left")
      try await a.sync()
      try await b.run(.becomeActive)
      try await b.run(.waitForView(id, "made while B was left"))
      try await b.run(.stopSyncing)
      return .passed("")
    },
    Gate(name: "bothWays", title: "create, edit and delete, both ways") { verification in
      let (a, b) = try await verification.pair()
      try await roundTrip(from: a, to: b)
      try await roundTrip(from: b, to: a)
      return .passed("")
    },
  ]

  @MainActor private static func roundTrip(
    from maker: any DeviceDriver, to editor: any DeviceDriver
  ) async throws {
    let id = try await maker.insert("made on \(maker.name)")
    try await pass(from: maker, to: editor)
    try await expect(id, on: editor, "made on \(maker.name)")
    try await editor.run(.edit(id, "edited on \(editor.name)"))
    try await pass(from: editor, to: maker)
    try await expect(id, on: maker, "edited on \(editor.name)")
    try await maker.run(.delete(id))
    try await pass(from: maker, to: editor)
    try await expect(id, on: editor, nil)
  }

  @MainActor fileprivate static func pass(
    from writer: any DeviceDriver, to other: any DeviceDriver
  ) async throws {
    try await writer.sync()
    try await other.sync()
  }

  @MainActor fileprivate static func expect(
    _ id: RecordID, on device: any DeviceDriver, _ text: String?
  ) async throws {
    let found = try await device.record(id).text
    try GateFailure.expect(
      found == text,
      "Could not see the change on \(device.name), "
        + (found == nil ? "the record is not there." : "the record holds something else."))
  }
}

// A device that cannot reach the peer, or may not.
extension Gate {
  fileprivate static let away = [
    Gate(name: "offlineIsHonest", title: "B stays honest while it is offline") { verification in
      let (_, b) = try await verification.pair()
      try await b.sync()
      let before = try await b.look()
      try await b.run(.setLink(isUp: false))
      let away = try await saveWithoutPeer(b, "made offline")
      try GateFailure.expect(
        away.asOf == before.asOf && away.lastSuccess == before.lastSuccess,
        "Could not trust the status of B, it claims something newer than was observed.")
      try await b.run(.setLink(isUp: true))
      try await expectCaughtUp(b)
      return .passed("said: \(away.reason ?? away.standing)")
    },
    Gate(name: "signedOutIsUsable", title: "B stays usable while it is signed out") {
      verification in
      guard verification.place.transport.traits.hasAccounts else {
        return .notApplicable("\(verification.place.specification) has no accounts")
      }
      let (_, b) = try await verification.pair()
      try await b.run(.setSignedIn(false))
      let away = try await saveWithoutPeer(b, "made signed out")
      try await b.run(.edit(verification.first, "edited signed out"))
      try await expect(verification.first, on: b, "edited signed out")
      try await b.run(.setSignedIn(true))
      try await expectCaughtUp(b)
      return .passed("said: \(away.reason ?? away.standing)")
    },
  ]

  /// Saves on a device whose cycle then fails, and looks whether it says so.
  @MainActor fileprivate static func saveWithoutPeer(
    _ device: any DeviceDriver, _ text: String
  ) async throws -> DeviceSight {
    let id = try await device.insert(text)
    let cycle = try await device.cycle()
    try GateFailure.expect(
      cycle.failure != nil && !cycle.isCaughtUp,
      "Could not see the failure on \(device.name), its cycle claims to have come to its end.")
    let sight = try await device.look(id)
    try GateFailure.expect(
      sight.record?.text == text, "Could not see the save on \(device.name), the record is gone.")
    try GateFailure.expect(
      sight.pending > 0 && sight.standing != "caughtUp" && sight.record?.exportedAt == nil,
      "Could not trust the status of \(device.name), it is \(sight.standing) with "
        + "\(Wording.count(sight.pending, "change")) waiting.")
    return sight
  }

  @MainActor fileprivate static func expectCaughtUp(_ device: any DeviceDriver) async throws {
    try await device.sync()
    let sight = try await device.look()
    try GateFailure.expect(
      sight.pending == 0,
      "Could not see \(device.name) go on, \(Wording.count(sight.pending, "change")) waits.")
  }
}

// Activities that fail or hang.
extension Gate {
  fileprivate static let trouble = [
    Gate(name: "failureErasesNothing", title: "a failed event erases nothing") { verification in
      let (_, b) = try await verification.pair()
      let before = try await b.contents()
      let success = try await b.look().lastSuccess
      try await b.run(.failOnce)
      let away = try await saveWithoutPeer(b, "made before a failure")
      let after = try await b.contents()
      try GateFailure.expect(
        after.count == before.count + 1 && before.allSatisfy { after[$0.key] == $0.value },
        "Could not find all records on B after a cycle that failed.")
      try GateFailure.expect(
        away.lastSuccess == success,
        "Could not trust the status of B, a failure counts as its last success.")
      try await expectCaughtUp(b)
      return .passed("")
    },
    Gate(name: "editingIsFree", title: "editing is never blocked") { verification in
      let (a, _) = try await verification.pair()
      try await a.run(.hang(afterFetches: 0))
      let ids = try await (1...3).asyncMap { try await a.insert("made while a cycle hangs, \($0)") }
      for id in ids {
        try GateFailure.expect(
          try await a.record(id).savedAt != nil,
          "Could not see a save on A, it waits for a cycle that hangs.")
      }
      if let failure = try await a.cycle(.goOn).failure { throw failure }
      try await expectCaughtUp(a)
      return .passed("3 saves while a fetch hung")
    },
  ]
}

// Processes that end and others that write.
extension Gate {
  private static let many = 100

  fileprivate static let whole = [
    Gate(name: "killedFirstImport", title: "kill and relaunch during the first import") {
      verification in
      let (a, _) = try await verification.pair()
      _ = try await a.insert((1...many).map { "one of many, \($0)" })
      try await a.sync()
      let new = try await verification.device("C", pageRecords: 20)
      try await new.run(.hang(afterFetches: 2))
      await verification.kill("C")
      let again = try await verification.device("C")
      for _ in 0..<5 where try await !again.sync().isCaughtUp {}
      let (wanted, found) = (try await a.contents(), try await again.contents())
      try GateFailure.expect(
        found == wanted,
        "Could not find on the new device what A has, "
          + "\(Wording.count(found.count, "record")) of \(wanted.count) are there.")
      await verification.end("C")
      return .passed(
        verification.place.hasProcesses
          ? "\(Wording.count(found.count, "record")), the process was killed"
          : "\(Wording.count(found.count, "record")), ended between two steps")
    },
    Gate(name: "otherProcess", title: "a save by another process while the app is closed") {
      verification in
      await verification.end("A")
      let other = try await verification.device("A", isLocal: true)
      let id = try await other.insert("saved while the app was closed")
      await verification.end("A")
      let (a, b) = try await verification.pair()
      try await pass(from: a, to: b)
      try await expect(id, on: b, "saved while the app was closed")
      return .passed(
        verification.place.hasProcesses ? "" : "by another opening of the store")
    },
  ]
}

extension ClosedRange<Int> {
  fileprivate func asyncMap<T>(_ body: (Int) async throws -> T) async rethrows -> [T] {
    var results: [T] = []
    for number in self { results.append(try await body(number)) }
    return results
  }
}
