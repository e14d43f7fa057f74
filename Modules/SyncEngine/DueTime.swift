package import StrandlineStorage
import StrandlineTransport

/// When something is due by the time of day.
///
/// A clock that is set back must not put it off, so it is due, too, where the clock stands before
/// the moment at which this was made.
package struct DueTime: Hashable, Sendable {
  private let made: Int64
  private let due: Int64

  package init(_ milliseconds: Int64, after now: Int64) {
    made = now
    due = now + milliseconds
  }

  package func isOver(at now: Int64) -> Bool { now >= due || now < made }
}

extension PeerRow {
  /// The longest wait that a peer may ask for, in milliseconds: a day.
  package static let longestWait: Int64 = 86_400_000

  /// Whether the peer itself asked for the wait.
  var isThrottled: Bool { reasonCode == TransportError.Code.throttled.rawValue }

  /// How long the peer is still left alone, in milliseconds; 0 where it is not.
  ///
  /// The end of a wait is a time of day, which other processes show. One that lies farther ahead
  /// than any wait may be was written by a clock that has been set back since.
  package func wait(at now: Int64) -> Int64 {
    let wait = (waitingUntil ?? 0) - now
    let longest = isThrottled ? Self.longestWait : BackOff().greatestMilliseconds
    return wait > 0 && wait <= longest ? wait : 0
  }
}
