/// Something that goes wrong with one call.
///
/// Several may happen to one call, in the order below, as far as one does not make the other
/// impossible: a request that does not arrive is not answered.
public enum Fault: String, Hashable, Sendable, CaseIterable {
  /// The request does not arrive: no effect, no answer.
  case dropRequest
  /// The other side asks for less.
  case throttle
  /// The place to go on from is no longer known; only where a fetch names one.
  case expireCursor
  /// The request arrives late.
  case delay
  /// The request arrives twice, one after the other.
  case duplicate
  /// The request that was made before this one arrives once more, after this one.
  case reorder
  /// The answer arrives late, so that calls made meanwhile are answered first.
  case delayAnswer
  /// The answer does not arrive: there was an effect.
  case loseReply
  /// The answer arrives and makes no sense: there was an effect.
  case corrupt
}
