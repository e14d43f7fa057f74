import Foundation
import StrandlineModels
package import StrandlineStorage
package import StrandlineTransport

/// What a refusal of stamps from the future led to (C15).
package enum ClockCorrection: Sendable {
  /// This device's clock is right again: so many stamps were replaced, and the cycle begins anew.
  case replaced(Int, PeerRow)
  /// This device's clock is off: nothing is changed before it is right.
  case clockIsOff(TransportError)
  /// The stamps came from elsewhere and lie at the bound's edge, or another peer has taken them:
  /// nobody here is at fault, and the time that passes mends it.
  case nobodyIsAtFault(TransportError)
}

extension EffectPerformer {
  /// How far ahead a zone takes stamps, where it does not say.
  private static let usualBound: Int64 = 5 * 60 * 1000

  /// Finds out why a zone refused stamps, and replaces them where this device's clock is right.
  ///
  /// The clock is right where it agrees with the zone's to within half of the zone's bound, so that
  /// what is stamped from then on is taken. A zone that compares no clocks, as a folder, is no
  /// judge: there the stamps are measured by this device's own clock, and nothing is replaced that
  /// any other device has read or written.
  func correctClock(after error: TransportError) async throws -> ClockCorrection {
    let now = store.clock.milliseconds
    let bound = error.stampBound ?? Self.usualBound
    if let server = error.serverTime, abs(now - server) > max(bound / 2, 1000) {
      return .clockIsOff(.clockIsOff(by: now - server))
    }
    let end = Stamp(milliseconds: (error.serverTime ?? now) + bound + 1)
    let isJudged = error.serverTime != nil
    let (replacement, peer) = try await store.administer(durable: true) { transaction in
      let done = try replaceStamps(transaction, from: end, now, isJudged: isJudged)
      return (done, try present(transaction))
    }
    switch replacement {
    case .replaced(let count): return .replaced(count, peer)
    case .none: return .nobodyIsAtFault(.stampsAtTheEdge)
    case .shared where !isJudged: return .clockIsOff(error)
    case .shared(peer.specification): return .nobodyIsAtFault(.stampsAtTheEdge)
    case .shared(let other): return .nobodyIsAtFault(.stampsTaken(by: other))
    }
  }
}

extension EffectPerformer {
  /// How far ahead the readers of a folder take stamps.
  private static let folderBound: Int64 = 86_400_000

  /// Replaces the stamps from the future that this device put into a folder, where no reader takes
  /// them, once its clock is right again: everything is offered anew, in place of what stands
  /// there.
  ///
  /// A folder refuses nothing that was published, so this is found by the store's own clock.
  func correctPublishedStamps(_ transaction: ReadTransaction) throws {
    guard transport.traits.acknowledgement == .published else { return }
    let now = store.clock.milliseconds
    let end = Stamp(milliseconds: now + Self.folderBound + 1)
    guard try transaction.seenStamp() >= end else { return }
    _ = try replaceStamps(transaction, from: end, now, isJudged: false)
  }

  /// Replaces this device's own stamps from one on, and tells it in the event log.
  private func replaceStamps(
    _ transaction: ReadTransaction, from end: Stamp, _ now: Int64, isJudged: Bool
  ) throws -> ReadTransaction.StampReplacement {
    let done = try transaction.replaceStamps(
      beyond: Stamp(rawValue: end.rawValue - 1), now: now, isJudged: isJudged)
    if case .replaced(let count) = done, count > 0 {
      try recordEvent(.stamps, transaction, records: count, "stamps from the future")
    }
    return done
  }
}

extension TransportError {
  /// This device's clock differs from the one that judges.
  static func clockIsOff(by milliseconds: Int64) -> TransportError {
    let amount = Duration.milliseconds(abs(milliseconds)).formatted(
      .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
    let side = milliseconds < 0 ? "behind" : "ahead of"
    return TransportError(
      .clockSkew, "Could not export, this device's clock is \(amount) \(side) the server's.",
      advice: "Set this device's clock. Sync goes on by itself once it is right, and the changes "
        + "take the right time then.", remedy: .fixClock)
  }

  static var stampsAtTheEdge: TransportError {
    TransportError(
      .clockSkew,
      "Could not export yet, changes that came from elsewhere are a little ahead of the zone's "
        + "clock.",
      advice: "It is tried again by itself.", remedy: .retry(afterMilliseconds: nil))
  }

  static func stampsTaken(by peer: String) -> TransportError {
    TransportError(
      .clockSkew,
      "Could not export yet, changes that '\(peer)' has taken are ahead of this zone's clock.",
      advice: "Check the clock of '\(peer)'; it is tried again by itself.",
      remedy: .retry(afterMilliseconds: nil))
  }
}
