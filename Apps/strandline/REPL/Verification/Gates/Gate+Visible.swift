import Strandline

// What an app shows while it is open.
extension Gate {
  static let visible = [
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
        "Could not see the toggles acknowledged, \(waiting(after.pending)).")
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
}
