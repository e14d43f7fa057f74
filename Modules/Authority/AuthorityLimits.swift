package import StrandlineTransport

/// What an authority takes, and for how long it waits.
package struct AuthorityLimits: Hashable, Sendable {
  /// What devices are told.
  package var transport = TransportLimits()
  /// The greatest number of records in one group.
  package var groupRecords = 500_000
  /// The greatest size of one group in bytes.
  package var groupBytes = 512 << 20
  /// The size of a fetched page in bytes after which no more is put into it.
  package var pageBytes = 32 << 20
  /// The greatest number of properties of a record.
  package var recordProperties = 4096
  /// The greatest size of an entity's, a property's or a zone's name, or of a record's id.
  package var nameBytes = 4096
  /// The greatest number of entities and properties that are learned.
  package var schemaNames = 100_000
  /// How far a stamp may lie ahead of the authority's clock.
  package var futureMilliseconds: Int64 = 5 * 60 * 1000
  /// How long a device may be silent until the fence no longer waits for it.
  package var silenceMilliseconds: Int64 = 90 * 24 * 3600 * 1000

  /// Takes the usual limits.
  package init() {}
}
