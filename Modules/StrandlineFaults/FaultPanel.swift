import StrandlineModels
import StrandlineTransport
import Synchronization

/// The switches of one or several faulty transports, their seed and their counters.
///
/// The same seed, controls and calls give the same faults.
public final class FaultPanel: Sendable {
  fileprivate struct State {
    var controls: FaultControls
    var random: SeededGenerator
    var counts = FaultCounts()
    var refusedGroup: (token: UInt64, refusals: [Refusal])?
  }

  private let state: Mutex<State>

  /// Makes a panel.
  public init(seed: UInt64, controls: FaultControls = FaultControls()) {
    state = Mutex(State(controls: controls, random: SeededGenerator(seed: seed)))
  }

  /// What goes wrong from now on.
  public var controls: FaultControls {
    get { state.withLock { $0.controls } }
    set { state.withLock { $0.controls = newValue } }
  }

  /// What went wrong so far.
  public var counts: FaultCounts { state.withLock { $0.counts } }

  /// Changes the controls in one step.
  public func update(_ change: (inout FaultControls) -> Void) {
    state.withLock { change(&$0.controls) }
  }

  /// Lets the next call that it can happen to meet a fault.
  public func inject(_ fault: Fault) {
    update { $0.next.append(fault) }
  }
}

extension FaultPanel {
  /// What happens to one call.
  struct Plan: Sendable {
    var isDown = false
    var account: AccountState?
    var faults: Set<Fault> = []
    var delay: Duration = .zero
    var answerDelay: Duration = .zero
    var throttleMilliseconds: Int64 = 0
  }

  /// Decides about a call that can meet some of the faults, and counts it.
  func plan(_ possible: Set<Fault>) -> Plan {
    state.withLock { state in
      state.counts.calls += 1
      if state.controls.isDown {
        state.counts.down += 1
        return Plan(isDown: true)
      }
      var plan = Plan(account: state.controls.account)
      if let account = plan.account {
        state.counts.wrongAccount += 1
        guard case .available = account else { return plan }
      }
      for fault in Fault.allCases where possible.contains(fault) {
        if state.draws(fault) { plan.faults.insert(fault) }
      }
      plan.keepWhatCanHappen()
      for fault in plan.faults { state.counts.faults[fault, default: 0] += 1 }
      if plan.faults.contains(.delay) { plan.delay = state.drawDelay() }
      if plan.faults.contains(.delayAnswer) { plan.answerDelay = state.drawDelay() }
      plan.throttleMilliseconds = min(state.controls.throttleSeconds, 86_400) * 1000
      return plan
    }
  }

  /// The refusals that the page of a group is answered with; nil where it may go on.
  func refusals(in page: SendPage) -> [Refusal]? {
    state.withLock { state in
      let new = page.deltas.compactMap(state.controls.refusal)
      state.counts.refusedRecords += new.count
      let token = page.group.token
      let earlier = state.refusedGroup?.token == token ? state.refusedGroup?.refusals : nil
      if earlier == nil, new.isEmpty { return nil }
      let all = (earlier ?? []) + new.filter { !(earlier ?? []).contains($0) }
      state.refusedGroup = (token, all)
      return page.isLast ? all : new
    }
  }
}

extension FaultPanel.State {
  /// Whether a fault happens to this call: because it was ordered, or by chance.
  fileprivate mutating func draws(_ fault: Fault) -> Bool {
    let rate = controls.rates[fault] ?? 0
    let happens = rate > 0 && Double.random(in: 0..<1, using: &random) < rate
    if let ordered = controls.next.firstIndex(of: fault) {
      controls.next.remove(at: ordered)
      return true
    }
    return happens
  }

  fileprivate mutating func drawDelay() -> Duration {
    .milliseconds(Int64.random(in: controls.delayMilliseconds, using: &random))
  }
}

extension FaultPanel.Plan {
  /// Leaves out what an earlier fault of the same call makes impossible.
  fileprivate mutating func keepWhatCanHappen() {
    for fault in [Fault.dropRequest, .throttle, .expireCursor] where faults.contains(fault) {
      faults = [fault]
      return
    }
    if faults.contains(.loseReply) { faults.subtract([.corrupt, .delayAnswer]) }
  }
}
