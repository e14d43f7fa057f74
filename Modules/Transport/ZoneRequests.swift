public import StrandlineModels

/// The device that asks, by its identity and the name its person gave it.
public struct DeviceInfo: Hashable, Sendable {
  /// The identity under which the store writes.
  public var id: DeviceID
  /// The name that people see.
  public var name: String

  /// Describes a device.
  public init(id: DeviceID, name: String) {
    self.id = id
    self.name = name
  }
}

/// Whose data the transport reads and writes, as far as it can tell.
public enum AccountState: Hashable, Sendable {
  /// The account is there and has this stable id.
  case available(String)
  /// Nobody is signed in.
  case signedOut
  /// Somebody is signed in but may not use this.
  case restricted
  /// It cannot be told at the moment.
  case undetermined
}

/// The zone's environment: types are learned in development and fixed in production.
public enum ZoneEnvironment: String, Hashable, Sendable, CaseIterable {
  /// Learns entities and properties as they come.
  case development
  /// Refuses entities and properties that were not deployed.
  case production
}

/// A zone by the random name that was made with it; the name that people chose may come again.
public struct ZoneID: Hashable, Sendable, RawRepresentable {
  /// The random name.
  public let rawValue: String

  /// Takes a zone's random name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }
}

/// Asks for a zone by the name that people chose.
public struct OpenRequest: Hashable, Sendable {
  /// Who asks.
  public var device: DeviceInfo
  /// The name that people chose.
  public var zoneName: String
  /// The environment.
  public var environment: ZoneEnvironment
  /// The zone that this name meant when it was last opened; another one is not opened.
  public var expected: ZoneID?
  /// The permanent keys of the properties that may be sent, by permanent key of the entity.
  public var schema: [String: Set<String>]
  /// What was last shown by the zone.
  public var proof: Proof?
  /// The sequence of this device up to which the zone has acknowledged its changes.
  ///
  /// A place that remembers what it has accepted by keeping it finds out by this what it has lost.
  public var acknowledged: Int64

  /// Makes a request.
  public init(
    device: DeviceInfo, zoneName: String, environment: ZoneEnvironment, expected: ZoneID?,
    schema: [String: Set<String>], proof: Proof?, acknowledged: Int64 = 0
  ) {
    self.device = device
    self.zoneName = zoneName
    self.environment = environment
    self.expected = expected
    self.schema = schema
    self.proof = proof
    self.acknowledged = acknowledged
  }
}

/// A zone as it was found or made.
public struct ZoneDescription: Hashable, Sendable {
  /// The account whose zone it is.
  public var account: String
  /// The zone.
  public var zone: ZoneID
  /// Whether this call made it.
  public var wasCreated: Bool
  /// What the zone shows now.
  public var proof: Proof
  /// The last group of this device that was accepted, if any was.
  public var lastAccepted: AcceptedGroup?
  /// Every group that the zone still holds under this device's identity, where it keeps them.
  ///
  /// One that this store's log does not know was written by a copy of the store.
  public var held: [AcceptedGroup]
  /// What the zone takes.
  public var limits: TransportLimits

  /// Describes a zone.
  public init(
    account: String, zone: ZoneID, wasCreated: Bool, proof: Proof,
    lastAccepted: AcceptedGroup?, held: [AcceptedGroup] = [], limits: TransportLimits
  ) {
    self.account = account
    self.zone = zone
    self.wasCreated = wasCreated
    self.proof = proof
    self.lastAccepted = lastAccepted
    self.held = held
    self.limits = limits
  }
}

/// What the zone remembers of a device's last accepted group.
///
/// A device that does not hold this sequence under this token was restored or cloned.
public struct AcceptedGroup: Hashable, Sendable {
  /// The last log sequence of the device that the group covered.
  public var sequence: Int64
  /// The random token of the transaction that ends at that sequence.
  public var transactionToken: UInt64

  /// Names a group's end.
  public init(sequence: Int64, transactionToken: UInt64) {
    self.sequence = sequence
    self.transactionToken = transactionToken
  }
}

/// What a transport takes in one call.
public struct TransportLimits: Hashable, Sendable {
  /// The greatest number of records in a page.
  public var pageRecords: Int
  /// The greatest size of one record in bytes.
  public var recordBytes: Int

  /// Sets limits.
  public init(pageRecords: Int = 2000, recordBytes: Int = 16 << 20) {
    self.pageRecords = pageRecords
    self.recordBytes = recordBytes
  }
}

/// The latest thing that a zone has shown to a device.
///
/// A zone that does not know what it has shown was put back to an earlier state.
public struct Proof: Hashable, Sendable {
  /// How often the zone was announced to begin anew.
  public var incarnation: Int64
  /// The zone's sequence.
  public var sequence: Int64
  /// A random number made with that sequence.
  public var nonce: UInt64

  /// Makes a proof.
  public init(incarnation: Int64, sequence: Int64, nonce: UInt64) {
    self.incarnation = incarnation
    self.sequence = sequence
    self.nonce = nonce
  }
}

/// Asks for everything in a zone to be removed.
public struct PurgeRequest: Hashable, Sendable {
  /// Who asks.
  public var device: DeviceInfo
  /// The zone.
  public var zone: ZoneID
  /// What the zone has shown, where the asker knows that.
  ///
  /// A place whose zones keep their names when they are purged tells by this that somebody purged
  /// it before, and leaves what has come since. Where a purged zone is never used again, the zone's
  /// name says as much.
  public var proof: Proof?

  /// Makes a request.
  public init(device: DeviceInfo, zone: ZoneID, proof: Proof? = nil) {
    self.device = device
    self.zone = zone
    self.proof = proof
  }
}
