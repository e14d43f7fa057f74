import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Synchronization

/// A folder that is called the same on every device, wherever its copy lies on this machine.
///
/// A store that was copied from one device to another then knows its peer, as it would on a
/// machine of its own.
struct CarriedTransport: Transport {
  let base: DirectoryTransport
  var specification: String { "directory:/carried" }
  var traits: TransportTraits { base.traits }

  func account() async throws(TransportError) -> AccountState { try await base.account() }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await base.open(request)
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await base.send(page)
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await base.fetch(request)
  }

  func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    try await base.exchangeReceipts(receipt)
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await base.purge(request)
  }

  func hints() -> AsyncStream<Hint> { base.hints() }
}

/// Lets some steps of publishing fail, as a full disk or an unplugged one does.
final class PublishFailures: Sendable {
  private struct State {
    var random: SeededGenerator
    var rate = 0.0
    var count = 0
  }

  private let state: Mutex<State>

  init(seed: UInt64) {
    state = Mutex(State(random: SeededGenerator(seed: seed)))
  }

  /// How often something failed.
  var count: Int { state.withLock(\.count) }

  /// Sets how probable a failure is at each step.
  func setRate(_ rate: Double) {
    state.withLock { $0.rate = rate }
  }

  /// A random number, for the transport's own use.
  func next() -> UInt64 {
    state.withLock { $0.random.next() }
  }

  /// Fails or does not.
  func observe(_ step: WriteStep, _ path: String) throws(TransportError) {
    let fails = state.withLock { state in
      guard state.rate > 0, Double.random(in: 0..<1, using: &state.random) < state.rate else {
        return false
      }
      state.count += 1
      return true
    }
    if fails {
      throw TransportError(
        .unreachable, "Could not write '\(path)', the disk is full.",
        advice: "Free some space.", remedy: .retry(afterMilliseconds: nil))
    }
  }
}
