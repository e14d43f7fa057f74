public import StrandlineTransport

/// A transport in front of another one that does wrong what its panel says.
///
/// It works around any transport and knows nothing of what is behind. Hints pass as they are: lost
/// and doubled ones do no harm, and a fetch that follows one meets the faults anyway.
public struct FaultyTransport: Transport {
  /// The switches and counters.
  public let panel: FaultPanel
  private let inner: any Transport
  private let earlier = EarlierRequest()
  private let sleep: @Sendable (Duration) async throws -> Void

  /// Puts faults before a transport; tests give a `sleep` that does not wait.
  public init(
    _ inner: any Transport, panel: FaultPanel,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.inner = inner
    self.panel = panel
    self.sleep = sleep
  }

  /// That of the transport behind.
  public var specification: String { inner.specification }

  /// Those of the transport behind.
  public var traits: TransportTraits { inner.traits }

  /// Tells who seems to be signed in, or asks the transport behind.
  public func account() async throws(TransportError) -> AccountState {
    // Unlike the other calls, this one answers with whatever the account's state is.
    if let account = panel.controls.account, !panel.controls.isDown { return account }
    let inner = inner
    return try await call { () async throws(TransportError) in try await inner.account() }
  }

  /// Asks the transport behind, if the faults let it; the account may seem to be another one.
  public func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    let inner = inner
    var found = try await call { () async throws(TransportError) in
      try await inner.open(request)
    }
    if case .available(let account) = panel.controls.account { found.account = account }
    return found
  }

  /// Passes a page on, or refuses the whole group for a record that is to be refused.
  public func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    let (inner, panel) = (inner, panel)
    return try await call { () async throws(TransportError) in
      if let refused = panel.refusals(in: page) { return SendAnswer(refused: refused) }
      return try await inner.send(page)
    }
  }

  /// Asks the transport behind, if the faults let it.
  public func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    let inner = inner
    return try await call(canExpire: request.cursor != nil) { () async throws(TransportError) in
      try await inner.fetch(request)
    }
  }

  /// Asks the transport behind, if the faults let it.
  public func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    let inner = inner
    return try await call { () async throws(TransportError) in
      try await inner.exchangeReceipts(receipt)
    }
  }

  /// Asks the transport behind, if the faults let it.
  public func purge(_ request: PurgeRequest) async throws(TransportError) {
    let inner = inner
    try await call { () async throws(TransportError) in try await inner.purge(request) }
  }

  /// Those of the transport behind.
  public func hints() -> AsyncStream<Hint> { inner.hints() }

  /// What the transport behind it did by itself.
  public func takeWork() async -> [TransportWork] { await inner.takeWork() }
}

extension FaultyTransport {
  private func call<Answer: Sendable>(
    canExpire: Bool = false,
    _ effect: @escaping @Sendable () async throws(TransportError) -> Answer
  ) async throws(TransportError) -> Answer {
    let before = earlier.replace { () async throws(TransportError) in _ = try await effect() }
    var possible = Set(Fault.allCases)
    if !canExpire { possible.remove(.expireCursor) }
    if before == nil { possible.remove(.reorder) }
    let plan = panel.plan(possible)
    if plan.isDown || plan.faults.contains(.dropRequest) { throw .injectedSilence() }
    if let account = plan.account {
      guard case .available = account else { throw .injectedAccount(account) }
    }
    if plan.faults.contains(.throttle) { throw .injectedThrottle(plan.throttleMilliseconds) }
    if plan.faults.contains(.expireCursor) { throw .injectedExpiry() }
    if plan.faults.contains(.delay) { try await wait(plan.delay) }
    if plan.faults.contains(.duplicate) { _ = try await effect() }
    let answer = try await effect()
    if plan.faults.contains(.reorder) { await before?() }
    if plan.faults.contains(.loseReply) { throw .injectedSilence() }
    if plan.faults.contains(.delayAnswer) { try await wait(plan.answerDelay) }
    if plan.faults.contains(.corrupt) { throw .injectedDamage() }
    return answer
  }

  private func wait(_ duration: Duration) async throws(TransportError) {
    do { try await sleep(duration) } catch { throw .injectedSilence(cause: error) }
  }
}

extension TransportKind {
  /// The same kind with faults before each transport that it makes.
  public func faulty(
    panel: FaultPanel,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) -> TransportKind {
    TransportKind(name: name, addressForm: addressForm) {
      (configuration) async throws(TransportError) in
      FaultyTransport(try await make(configuration), panel: panel, sleep: sleep)
    }
  }
}
