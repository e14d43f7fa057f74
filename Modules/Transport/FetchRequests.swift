public import StrandlineModels

/// Asks for what changed after a cursor.
public struct FetchRequest: Hashable, Sendable {
  /// Who asks.
  public var device: DeviceInfo
  /// The zone.
  public var zone: ZoneID
  /// What the zone last showed.
  public var proof: Proof?
  /// Where to go on; nil reads the zone from its beginning.
  public var cursor: Cursor?
  /// The greatest number of changes wanted.
  public var limit: Int

  /// Makes a request.
  public init(
    device: DeviceInfo, zone: ZoneID, proof: Proof?, cursor: Cursor?, limit: Int
  ) {
    self.device = device
    self.zone = zone
    self.proof = proof
    self.cursor = cursor
    self.limit = limit
  }
}

/// A part of what changed after a cursor.
///
/// Pages are consistent only together: they are applied when one says ``headReached``.
public struct FetchPage: Hashable, Sendable {
  /// The changes.
  public var changes: [FetchedChange]
  /// Values that lost to concurrent ones, the same list for every device.
  public var conflicts: [ConflictEntry]
  /// Where the next page begins.
  public var cursor: Cursor
  /// Whether nothing more was there when the page was made.
  public var headReached: Bool
  /// What the zone shows now.
  public var proof: Proof
  /// Names of devices in the middle of a long upload.
  public var uploading: [String]
  /// What the zone is known to lack at the moment, as sentences; while it lacks something, nobody
  /// is caught up.
  public var waitingFor: [String]
  /// What else a person may want to know of the zone, as sentences; it holds nothing back.
  public var notices: [String]
  /// Whether the zone has lost something that this device had read: the device is to offer all
  /// that it holds, see ``GroupHeader/isOffer``.
  public var isOfferWanted: Bool

  /// Makes a page.
  public init(
    changes: [FetchedChange], conflicts: [ConflictEntry] = [], cursor: Cursor,
    headReached: Bool, proof: Proof, uploading: [String] = [], waitingFor: [String] = [],
    notices: [String] = [], isOfferWanted: Bool = false
  ) {
    self.changes = changes
    self.conflicts = conflicts
    self.cursor = cursor
    self.headReached = headReached
    self.proof = proof
    self.uploading = uploading
    self.waitingFor = waitingFor
    self.notices = notices
    self.isOfferWanted = isOfferWanted
  }
}

/// One record's change as another device made it.
public struct FetchedChange: Hashable, Sendable {
  /// The change.
  public var delta: RecordDelta
  /// The device that made it, or the last of several.
  public var device: DeviceID
  /// The reader's own log sequence that the writer had read.
  ///
  /// Own changes that were published after it are concurrent with this one. It is nil where the
  /// zone itself lists conflicts.
  public var seenOfReader: Int64?

  /// Makes a change.
  public init(delta: RecordDelta, device: DeviceID, seenOfReader: Int64? = nil) {
    self.delta = delta
    self.device = device
    self.seenOfReader = seenOfReader
  }
}

/// A value that lost to a concurrent change, kept so that nobody loses it silently.
public struct ConflictEntry: Hashable, Sendable {
  /// The record.
  public var key: RecordKey
  /// The property's permanent key.
  public var property: String
  /// What lost.
  public var loser: Version
  /// Who had written it.
  public var device: DeviceID

  /// Makes an entry.
  public init(key: RecordKey, property: String, loser: Version, device: DeviceID) {
    self.key = key
    self.property = property
    self.loser = loser
    self.device = device
  }
}

/// What a device holds durably of a zone.
public struct Receipt: Hashable, Sendable {
  /// Who reports.
  public var device: DeviceInfo
  /// The zone.
  public var zone: ZoneID
  /// What the zone last showed.
  public var proof: Proof?
  /// The cursor whose page is committed and synced to disk.
  public var cursor: Cursor

  /// Makes a receipt.
  public init(device: DeviceInfo, zone: ZoneID, proof: Proof?, cursor: Cursor) {
    self.device = device
    self.zone = zone
    self.proof = proof
    self.cursor = cursor
  }
}

/// What another device of the zone has reported.
public struct DeviceReport: Hashable, Sendable {
  /// The device.
  public var device: DeviceInfo
  /// The greatest position of the asker's groups that it has imported, see
  /// ``Acceptance/position``.
  public var position: Int64
  /// When that was reported, in milliseconds since 1970, by the clock of whoever kept it.
  public var reportedAt: Int64

  /// Makes a report.
  public init(device: DeviceInfo, position: Int64, reportedAt: Int64) {
    self.device = device
    self.position = position
    self.reportedAt = reportedAt
  }
}
