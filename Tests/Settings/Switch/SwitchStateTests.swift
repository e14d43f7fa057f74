import StrandlineModels
import StrandlineSettings
import Testing

/// Where the switch stands, from what the tables and the lease say.
struct SwitchStateTests {
  private let on = SyncSwitch(isWanted: true, changed: 1000)
  private let purging = SyncSwitch(
    purges: [PendingPurge(peer: 1, specification: "memory", asked: 900)], changed: 1000)

  private func peer(lastSuccess: Int64? = 2000) -> SwitchState.Peer {
    var peer = SwitchState.Peer(id: 1, specification: "memory")
    peer.lastSuccess = lastSuccess
    return peer
  }

  private func judge(
    _ state: SyncSwitch, _ peers: [SwitchState.Peer], holder: String? = nil
  ) -> SwitchState {
    SwitchState(state, peers: peers, otherHolder: holder)
  }

  @Test func `it is on once a cycle succeeded since it was switched on`() {
    let state = judge(on, [peer()])

    #expect(state.standing == .on)
    #expect(state.isActive)
    #expect(SwitchWording.sentence(state) == "Sync is on.")
  }

  @Test(arguments: [nil, 999] as [Int64?])
  func `it waits for the first cycle, here or in the process that has the lease`(last: Int64?) {
    let own = judge(on, [peer(lastSuccess: last)])
    let elsewhere = judge(on, [peer(lastSuccess: last)], holder: "process 7 (notes)")

    #expect(own.standing == .onWaiting && !own.isActive)
    #expect(own.waits.map(\.code) == ["firstCycle"])
    #expect(elsewhere.waits.map(\.code) == ["leaseHeld"])
    #expect(SwitchWording.sentence(elsewhere).contains("process 7 (notes)"))
  }

  @Test func `what blocks a peer is the reason, and another peer is active all the same`() {
    var blocked = peer()
    blocked.isBlocked = true
    (blocked.reasonCode, blocked.reason) = ("accountUnavailable", "Nobody is signed in.")
    blocked.cure = "Sign in."
    let alone = judge(on, [blocked])
    let beside = judge(on, [blocked, peer()])

    #expect(!alone.isActive && beside.isActive)
    #expect(beside.standing == .onWaiting)
    #expect(
      SwitchWording.sentence(alone) == "Sync is on, and waits: Nobody is signed in. Sign in.")
  }

  @Test func `without a transport it waits for one`() {
    #expect(judge(on, []).waits.map(\.code) == ["noTransport"])
    #expect(judge(SyncSwitch(), []).standing == .off)
  }

  @Test func `it is off while another process ends its cycle, and while a purge is pending`() {
    var running = peer()
    running.isRunning = true

    #expect(judge(SyncSwitch(), [peer()], holder: "process 7").standing == .off)
    #expect(judge(SyncSwitch(), [running]).standing == .off)
    let finishing = judge(SyncSwitch(), [running], holder: "process 7")
    #expect(finishing.standing == .offFinishing && finishing.isActive)
    #expect(judge(purging, [peer()]).standing == .offPurging)
    let elsewhere = judge(purging, [peer()], holder: "process 7")
    #expect(elsewhere.waits.first?.reason.contains("process 7") == true)
  }

  @Test func `a purge of what is not followed any more says so`() {
    let state = judge(purging, [])

    #expect(state.standing == .offPurging)
    #expect(state.waits.map(\.code) == ["notFollowed"])
  }

  @Test func `a pending purge is told with its reason and its next attempt`() {
    var state = purging
    let failure = PendingPurge.Failure(
      code: "unreachable", message: "Could not reach it.", advice: "Connect.", retryAt: 5000)
    let never = SwitchWording.pending(state.purges[0], now: 1000) { "\($0)" }
    state.handle(.purgeBegan(1), at: 1000)
    let silent = SwitchWording.pending(state.purges[0], now: 1000) { "\($0)" }
    state.handle(.purgeFailed(1, failure), at: 1000)
    let failed = SwitchWording.pending(state.purges[0], now: 1000) { "\($0)" }
    let due = SwitchWording.pending(state.purges[0], now: 5000) { "\($0)" }

    #expect(never.hasSuffix("It was not tried yet."))
    #expect(silent.hasSuffix("No answer to the last attempt was seen."))
    #expect(failed.hasSuffix("Could not reach it. Connect. It is tried again at 5000."))
    #expect(due.hasSuffix("It is tried again when syncing starts next."))
  }
}
