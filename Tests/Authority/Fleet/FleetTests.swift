import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct FleetTests {
  @Test func `whatever is lost or repeated, all devices agree and every loser is listed`() throws {
    for seed: UInt64 in 0..<2500 {
      var fleet = try Fleet(seed: seed)
      for _ in 0..<30 { try fleet.step() }
      try fleet.heal()
      let head = fleet.head
      try fleet.heal()

      let expected = fleet.oracle.visible
      let listed = fleet.devices[0].conflicts
      let failure: String? =
        if let wrong = fleet.devices.first(where: { $0.visible != expected }) {
          "\(wrong.info.name) shows \(wrong.visible), not \(expected)"
        } else if !fleet.oracle.losers.isSubset(of: listed) {
          "C3: \(fleet.oracle.losers.subtracting(listed)) are not listed"
        } else if fleet.startsTogether, fleet.devices.contains(where: { $0.conflicts != listed }) {
          "C3: the devices list different conflicts"
        } else if fleet.head != head {
          "C5: an idle fleet made numbers \(head) to \(fleet.head)"
        } else { nil }
      guard failure == nil else {
        Issue.record("seed \(seed): \(failure ?? "")")
        return
      }
    }
  }
}
