package import StrandlineModels
package import StrandlineTransport

/// Where an authority keeps its zones: in dictionaries, or in the tables of a database.
///
/// The authority decides and the storage remembers. Each operation of the authority is one
/// transaction between ``begin(_:)`` and ``commit()``. It writes only after all checks, so a
/// storage that cannot fail needs no way back.
package protocol ZoneStorage: Sendable {
  /// Begins a transaction that no other call can come between.
  mutating func begin(_ durability: Durability) throws(TransportError)
  /// Keeps the transaction's writes, as durably as it was begun.
  mutating func commit() throws(TransportError)
  /// Undoes the transaction's writes.
  mutating func rollBack()

  /// The zone with a random name, also if it was purged.
  func zone(_ id: ZoneID) throws(TransportError) -> Zone?
  /// The zone that was made last under the name that people chose.
  func zone(
    named name: String, account: String, environment: ZoneEnvironment
  ) throws(TransportError) -> Zone?
  /// All zones, in the order of their making.
  func zones() throws(TransportError) -> [Zone]
  /// Writes a zone, new or known.
  mutating func save(_ zone: Zone) throws(TransportError)
  /// Removes everything in a zone: records, conflicts, devices, groups and nonces.
  mutating func removeContents(of zone: ZoneID) throws(TransportError)

  /// The random number that was made with a commit.
  func nonce(of sequence: Int64, in zone: ZoneID) throws(TransportError) -> UInt64?
  /// Remembers a commit, in place of one at the same sequence.
  mutating func addNonce(
    _ nonce: UInt64, of sequence: Int64, in zone: ZoneID
  ) throws(TransportError)
  /// Forgets all commits before the last one that is not after a sequence.
  mutating func forgetNonces(before sequence: Int64, in zone: ZoneID) throws(TransportError)
  /// Forgets all commits.
  mutating func forgetAllNonces(in zone: ZoneID) throws(TransportError)

  /// What is known of a record, also if it is only that it died.
  func record(_ key: RecordKey, in zone: ZoneID) throws(TransportError) -> ZoneRecord?
  /// Writes a record in place of what was known of it.
  mutating func save(_ record: ZoneRecord, in zone: ZoneID) throws(TransportError)

  /// Whether a conflict is in the feed.
  func holds(_ conflict: ConflictEntry, in zone: ZoneID) throws(TransportError) -> Bool
  /// Adds a conflict to the feed.
  mutating func add(
    _ conflict: ConflictEntry, at sequence: Int64, in zone: ZoneID
  ) throws(TransportError)
  /// Forgets the conflicts up to a sequence.
  mutating func forgetConflicts(through sequence: Int64, in zone: ZoneID) throws(TransportError)

  /// Shows the feed after a sequence in its order, as long as the visitor wants more.
  ///
  /// Deaths up to `deathsRead` are left out; numbers where nothing current stands are too.
  func readFeed(
    after sequence: Int64, deathsAfter deathsRead: Int64, in zone: ZoneID,
    visit: (FeedEntry) -> Bool
  ) throws(TransportError)

  /// What is remembered of a device.
  func device(_ id: DeviceID, in zone: ZoneID) throws(TransportError) -> ZoneDevice?
  /// All devices in the order of their identities.
  func devices(in zone: ZoneID) throws(TransportError) -> [ZoneDevice]
  /// Writes a device, new or known.
  mutating func save(_ device: ZoneDevice, in zone: ZoneID) throws(TransportError)
  /// The memo of a device's last accepted group.
  func memo(of device: DeviceID, in zone: ZoneID) throws(TransportError) -> AcceptedMemo?
  /// The versions that the device's last accepted group held.
  func writtenFacts(
    of device: DeviceID, in zone: ZoneID
  ) throws(TransportError) -> Set<WrittenFact>
  /// Writes the memo of a device's last accepted group, and which versions the group held.
  mutating func save(
    _ memo: AcceptedMemo, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) throws(TransportError)

  /// The group that a device has begun to send.
  func stagedGroup(of device: DeviceID, in zone: ZoneID) throws(TransportError) -> StagedGroup?
  /// The records of a staged group, in the order of its pages.
  func stagedDeltas(of device: DeviceID, in zone: ZoneID) throws(TransportError) -> [RecordDelta]
  /// Writes a group's summary and one page of it, in place of the same page.
  mutating func stage(
    _ group: StagedGroup, page: Int, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) throws(TransportError)
  /// Drops a device's staged group with all its pages.
  mutating func dropStagedGroup(of device: DeviceID, in zone: ZoneID) throws(TransportError)

  /// The properties that an environment knows, by entity.
  func schema(of environment: ZoneEnvironment) throws(TransportError) -> [String: Set<String>]
  /// Adds entities and properties to what an environment knows.
  mutating func extend(
    _ environment: ZoneEnvironment, by schema: [String: Set<String>]
  ) throws(TransportError)
}
