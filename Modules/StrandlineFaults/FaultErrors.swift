import StrandlineTransport

// What a caller is told when a fault was injected; it cannot be told from the real thing.
extension TransportError {
  static func injectedSilence(cause: (any Error)? = nil) -> TransportError {
    TransportError(
      .unreachable, "Could not reach the other side, nobody answered.",
      advice: "It is tried again.", remedy: .retry(afterMilliseconds: nil), cause: cause)
  }

  static func injectedThrottle(_ milliseconds: Int64) -> TransportError {
    TransportError(
      .throttled, "Could not go on at once, the other side asks for fewer calls.",
      advice: "It is tried again later.", remedy: .retry(afterMilliseconds: milliseconds))
  }

  static func injectedExpiry() -> TransportError {
    TransportError(
      .cursorExpired, "Could not go on, the zone no longer holds what came after the cursor.",
      advice: "Everything is compared with it; nothing needs to be done.", remedy: .compareAll)
  }

  static func injectedAccount(_ state: AccountState) -> TransportError {
    let reason =
      switch state {
      case .signedOut: "nobody is signed in"
      case .restricted: "the account is restricted"
      case .available, .undetermined: "the account cannot be told now"
      }
    return TransportError(
      .accountUnavailable, "Could not go on, \(reason).",
      advice: "Sign in; everything is saved on this device until then.", remedy: .waitForAccount)
  }

  static func injectedDamage() -> TransportError {
    TransportError(
      .damaged, "Could not read the answer, its bytes make no sense.",
      advice: "It is tried again.", remedy: .retry(afterMilliseconds: nil))
  }
}
