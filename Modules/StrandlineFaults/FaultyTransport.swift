public import StrandlineTransport

/// A transport in front of another one that does wrong what its panel says.
///
/// Hints pass as they are: lost and doubled ones do no harm, and a fetch that follows one meets
/// the faults anyway.
public struct FaultyTransport: Transport {
  /// The switches and counters.
  public let panel: FaultPanel
  private let inner: any Transport
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

  /// Asks the transport behind, if the faults let it.
  public func account() async throws(TransportError) -> AccountState {
    try await call { () throws(TransportError) in try await inner.account() }
  }

  /// Asks the transport behind, if the faults let it.
  public func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await call { () throws(TransportError) in try await inner.open(request) }
  }

  /// Passes a page on, or refuses the whole group for a record that is to be refused.
  public func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await call { () throws(TransportError) in
      if let refused = panel.refusals(in: page) { return SendAnswer(refused: refused) }
      return try await inner.send(page)
    }
  }

  /// Asks the transport behind, if the faults let it.
  public func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await call(canExpire: request.cursor != nil) { () throws(TransportError) in
      try await inner.fetch(request)
    }
  }

  /// Asks the transport behind, if the faults let it.
  public func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    try await call { () throws(TransportError) in try await inner.exchangeReceipts(receipt) }
  }

  /// Asks the transport behind, if the faults let it.
  public func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await call { () throws(TransportError) in try await inner.purge(request) }
  }

  /// Those of the transport behind.
  public func hints() -> AsyncStream<Hint> { inner.hints() }
}

extension FaultyTransport {
  private func call<Answer>(
    canExpire: Bool = false, _ effect: () async throws(TransportError) -> Answer
  ) async throws(TransportError) -> Answer {
    let plan = panel.plan(canExpire: canExpire)
    if plan.isDown || plan.faults.contains(.dropRequest) { throw .injectedSilence() }
    if plan.faults.contains(.throttle) { throw .injectedThrottle(plan.throttleMilliseconds) }
    if plan.faults.contains(.expireCursor) { throw .injectedExpiry() }
    if plan.faults.contains(.delay) {
      do { try await sleep(plan.delay) } catch { throw .injectedSilence(cause: error) }
    }
    if plan.faults.contains(.duplicate) { _ = try await effect() }
    let answer = try await effect()
    if plan.faults.contains(.loseReply) { throw .injectedSilence() }
    if plan.faults.contains(.corrupt) { throw .injectedDamage() }
    return answer
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
