import Strandline

// The peer itself, before any device.
extension Gate {
  static let peer = [
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
