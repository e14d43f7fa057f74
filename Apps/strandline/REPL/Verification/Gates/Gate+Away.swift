import Strandline

// A device that cannot reach the peer, or may not.
extension Gate {
  static let away = [
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
}
