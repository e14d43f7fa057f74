public import StrandlineTransport
import Synchronization

/// Who is signed in on one simulated device, which tests and labs can change at any time.
public final class MemoryLogin: Sendable {
  private let current: Mutex<AccountState>

  /// Signs somebody in, or nobody.
  public init(_ state: AccountState = .available("local")) {
    current = Mutex(state)
  }

  /// Who is signed in now.
  public var state: AccountState {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }

  /// The account whose zones may be used now.
  func account() throws(TransportError) -> String {
    switch state {
    case .available(let account): return account
    case .signedOut: throw unavailable("nobody is signed in", advice: "Sign in.")
    case .restricted:
      throw unavailable("the account is restricted", advice: "Lift the restriction.")
    case .undetermined: throw unavailable("the account cannot be told now", advice: "")
    }
  }

  private func unavailable(_ reason: String, advice: String) -> TransportError {
    TransportError(
      .accountUnavailable, "Could not use the cloud in memory, \(reason).", advice: advice,
      remedy: .waitForAccount)
  }
}
