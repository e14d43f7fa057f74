import StrandlineModels
package import StrandlineStorage
package import StrandlineTransport

extension PeerQuestion {
  /// The question that a transport's error puts to the person; nil where it puts none.
  package init?(_ error: TransportError) {
    switch error.code {
    case .zonePurged:
      let time = error.context["at"].flatMap { Int64($0) }
      self = .zonePurged(by: error.context["deviceName"], at: time)
    case .zoneReplaced: self = .zoneReplaced
    case .zoneNotFound: self = .zoneNotFound
    default: return nil
    }
  }

  /// What to do, as a person reads it.
  package func advice(peer: Int64) -> String {
    "\(wayBack), or decide with peer answer \(peer) keep, upload or switch; until then nothing is "
      + "deleted or uploaded."
  }

  private var wayBack: String {
    switch self {
    case .zonePurged: "Ask whoever did it"
    case .zoneReplaced: "Bring the known zone back"
    case .zoneNotFound: "Bring the zone back, such as the right disk, share or server"
    case .accountChanged(let known, _): "Sign in with the account '\(known)' again"
    }
  }
}

extension TransportError {
  /// The same error with another advice.
  package func advising(_ advice: String) -> TransportError {
    TransportError(
      code, message, advice: advice, remedy: remedy, context: context, cause: cause)
  }
}
