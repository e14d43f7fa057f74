package import StrandlineTransport

/// A group whose pages have begun to come.
package struct StagedGroup: Hashable, Sendable {
  /// What its pages have in common.
  package var header: GroupHeader
  /// What is known of each page, by its number.
  package var pages: [Int: PageSummary] = [:]

  /// Begins a group.
  package init(header: GroupHeader) {
    self.header = header
  }

  /// The number of records that have come.
  package var recordCount: Int { pages.values.reduce(0) { $0 + $1.recordCount } }
  /// Their size.
  package var byteCount: Int { pages.values.reduce(0) { $0 + $1.byteCount } }
  /// The records that the zone does not take, in the order of the pages.
  package var refused: [Refusal] {
    pages.sorted { $0.key < $1.key }.flatMap(\.value.refused)
  }

  /// The values that its sender found to have lost, in the order of the pages.
  package var conflicts: [ConflictEntry] {
    pages.sorted { $0.key < $1.key }.flatMap(\.value.conflicts)
  }

  /// What is known of one page without reading it again.
  package struct PageSummary: Hashable, Sendable {
    /// The number of its records.
    package var recordCount: Int
    /// Their size in bytes.
    package var byteCount: Int
    /// Its records that the zone does not take.
    package var refused: [Refusal]
    /// The values that its sender found to have lost.
    package var conflicts: [ConflictEntry]

    /// Describes a page.
    package init(
      recordCount: Int, byteCount: Int, refused: [Refusal], conflicts: [ConflictEntry] = []
    ) {
      self.recordCount = recordCount
      self.byteCount = byteCount
      self.refused = refused
      self.conflicts = conflicts
    }
  }
}
