public import StrandlineModels

/// A place in a zone's changes, made by the transport and meaningful to it alone.
public struct Cursor: Hashable, Sendable {
  /// The transport's bytes.
  public var bytes: [UInt8]

  /// Wraps a transport's bytes.
  public init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// What all pages of one group have in common.
///
/// A group is what one send delivers as a whole: all that the device's log holds between two of
/// its sequences. No other device sees a part of it.
public struct GroupHeader: Hashable, Sendable {
  /// A random token; a new one drops a group that was begun and not ended.
  public var token: UInt64
  /// The log sequence that was acknowledged before; the group covers what comes after it.
  public var base: Int64
  /// The log sequence at which the group ends.
  public var sequence: Int64
  /// The random token of the transaction that ends at ``sequence``.
  public var transactionToken: UInt64
  /// The number of records in all pages together.
  public var recordCount: Int
  /// How many records of these transactions were set aside and are missing.
  public var incomplete: Int
  /// Whether more groups of one long upload follow, so that the zone is not yet consistent.
  public var isPartOfUpload: Bool
  /// Whether the group belongs to an offer of everything that the store holds, whoever made it.
  ///
  /// An offer begins at ``base`` 0 and goes on until a group has ``endsOffer``. It holds all that
  /// the store had read where the offer began.
  public var isOffer: Bool
  /// Whether the offer is whole with this group, whatever else is still to be sent.
  public var endsOffer: Bool

  /// Describes a group.
  public init(
    token: UInt64, base: Int64, sequence: Int64, transactionToken: UInt64, recordCount: Int,
    incomplete: Int = 0, isPartOfUpload: Bool = false, isOffer: Bool = false,
    endsOffer: Bool = false
  ) {
    self.token = token
    self.base = base
    self.sequence = sequence
    self.transactionToken = transactionToken
    self.recordCount = recordCount
    self.incomplete = incomplete
    self.isPartOfUpload = isPartOfUpload
    self.isOffer = isOffer
    self.endsOffer = endsOffer
  }
}

/// One page of a group.
public struct SendPage: Hashable, Sendable {
  /// Who sends.
  public var device: DeviceInfo
  /// Where to.
  public var zone: ZoneID
  /// What the zone last showed.
  public var proof: Proof?
  /// What the sender had read: what others changed after it is concurrent.
  public var cursor: Cursor?
  /// The group.
  public var group: GroupHeader
  /// The number of this page, from 0.
  public var page: Int
  /// Whether the group ends with this page.
  public var isLast: Bool
  /// The changes.
  public var deltas: [RecordDelta]
  /// Values that lost on the sender's device to what it had not known of, or the other way.
  ///
  /// The sender alone knows of them: it does not send a value that has lost already. The zone
  /// lists them for every device.
  public var conflicts: [ConflictEntry]

  /// Makes a page.
  public init(
    device: DeviceInfo, zone: ZoneID, proof: Proof?, cursor: Cursor?, group: GroupHeader,
    page: Int, isLast: Bool, deltas: [RecordDelta], conflicts: [ConflictEntry] = []
  ) {
    self.device = device
    self.zone = zone
    self.proof = proof
    self.cursor = cursor
    self.group = group
    self.page = page
    self.isLast = isLast
    self.deltas = deltas
    self.conflicts = conflicts
  }
}

/// What became of a page.
public struct SendAnswer: Hashable, Sendable {
  /// The group's acceptance; nil while the group is only staged or where a record was refused.
  public var acceptance: Acceptance?
  /// Records that the zone does not take, each by itself; nothing of the group was merged then.
  public var refused: [Refusal]
  /// Records of the group that had died here: the sender applies the deaths.
  public var deaths: [RecordDelta]

  /// Makes an answer.
  public init(
    acceptance: Acceptance? = nil, refused: [Refusal] = [], deaths: [RecordDelta] = []
  ) {
    self.acceptance = acceptance
    self.refused = refused
    self.deaths = deaths
  }
}

/// That a group was merged and numbered.
public struct Acceptance: Hashable, Sendable {
  /// The sender's log sequence that is acknowledged by this.
  public var sequence: Int64
  /// The zone's position of the group, to be compared with ``DeviceReport/position``.
  public var position: Int64
  /// What the zone shows now.
  public var proof: Proof

  /// Makes an acceptance.
  public init(sequence: Int64, position: Int64, proof: Proof) {
    self.sequence = sequence
    self.position = position
    self.proof = proof
  }
}

/// That one record cannot be taken, and why.
public struct Refusal: Hashable, Sendable {
  /// The record.
  public var key: RecordKey
  /// A stable name of the reason, such as `tooLarge`.
  public var code: String
  /// The reason as a sentence.
  public var message: String

  /// Makes a refusal.
  public init(key: RecordKey, code: String, message: String) {
    self.key = key
    self.code = code
    self.message = message
  }
}
