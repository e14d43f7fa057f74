import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct TwinTests {
  @Test func `a cloud in a file answers whatever it is asked as one in memory does`() throws {
    for seed: UInt64 in 0..<60 {
      var walk = try TwinWalk(seed: seed)
      for number in 0..<150 {
        try walk.step()
        if let difference = walk.twin.differences.first {
          Issue.record("seed \(seed), step \(number): \(difference)")
          return
        }
      }
    }
  }
}
