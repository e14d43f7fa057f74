package import StrandlineModels
package import StrandlineTransport

/// One number of a zone's feed: a record's facts, or a value that lost a conflict.
package struct FeedEntry: Hashable, Sendable {
  /// What stands at the number.
  package enum Content: Hashable, Sendable {
    /// Facts about a record that are still current.
    case change(RecordDelta, DeviceID)
    /// A value that lost.
    case conflict(ConflictEntry)
  }

  /// The number.
  package let sequence: Int64
  /// What stands there.
  package let content: Content

  /// Makes an entry.
  package init(sequence: Int64, content: Content) {
    self.sequence = sequence
    self.content = content
  }
}
