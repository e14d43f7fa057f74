import Strandline

extension FleetDump {
  /// What is not as it should be with the stores of a fleet that has come to rest, one sentence
  /// each: damage, what is still pending, and where they differ from the first of them.
  static func findings(of members: [(name: String, store: Store)]) async throws -> [String] {
    var findings: [String] = []
    var first: (name: String, dump: FleetDump)?
    for (name, store) in members {
      let dump = try await store.read { try FleetDump($0) }
      for status in try await store.status(deviceName: name) where status.pending > 0 {
        findings.append("\(name) has \(status.pending) changes pending for \(status.peer).")
      }
      findings += dump.damage.map { "\(name): \($0)" }
      guard let known = first else {
        first = (name, dump)
        continue
      }
      findings += dump.differences(from: known.dump).map {
        "\(name) differs from \(known.name): \($0)"
      }
    }
    return findings
  }
}
