import StrandlineStorage
import StrandlineSyncEngine
import Testing

/// F19: waits end however the clock is set meanwhile.
@Suite struct DueTimeTests {
  private static let year: Int64 = 365 * 86_400_000

  @Test func `what is due comes at its time and not before`() {
    let due = DueTime(500, after: 1000)

    #expect(!due.isOver(at: 1000))
    #expect(!due.isOver(at: 1499))
    #expect(due.isOver(at: 1500))
  }

  @Test func `F19: a clock that is set back puts nothing off`() {
    #expect(DueTime(500, after: 1000).isOver(at: 1000 - Self.year))
  }

  @Test func `F19: a wait that was written by a clock a year ahead is over`() {
    var peer = PeerRow(id: 1, specification: "x", zoneName: "z", environment: "development")
    peer.waitingUntil = Self.year + 1000

    #expect(peer.wait(at: 1000) == 0)
    #expect(peer.wait(at: Self.year) == 1000)
  }

  @Test func `only a peer that asked for it is left alone for hours`() {
    var peer = PeerRow(id: 1, specification: "x", zoneName: "z", environment: "development")
    peer.waitingUntil = 7_200_000

    #expect(peer.wait(at: 0) == 0)
    peer.reasonCode = "throttled"
    #expect(peer.wait(at: 0) == 7_200_000)
  }
}
