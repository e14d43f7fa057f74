package import StrandlineAuthority

/// What a server takes, beside what its authority takes.
package struct ServerLimits: Hashable, Sendable {
  /// What the authority takes.
  package var authority = AuthorityLimits()
  /// The greatest size of a page that is sent.
  package var sendBytes = 64 << 20
  /// The greatest size of any other message.
  package var messageBytes = 8 << 20
  /// Changes that people are shown at once unless they ask for another number.
  package var shownChanges = 100
  /// Bytes that wait in a stream before it is dropped.
  package var streamBytes = 16 << 10
  /// Streams of one account.
  package var streamsPerAccount = 4096
  /// Streams of all accounts.
  package var streams = 8192
  /// Hints about single zones that a new stream begins with.
  package var firstHints = 32
  /// The time between two signs of life in a stream, in milliseconds.
  package var keepAliveMilliseconds: Int64 = 15_000
  /// Wrong tokens of one address that are looked at within the brake's time.
  package var guesses = 20
  /// The brake's time, in milliseconds.
  package var guessMilliseconds: Int64 = 60_000

  /// Takes the usual limits.
  package init() {}
}
