import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

// The parts that several messages have in common.
extension CBORWriter {
  mutating func flag(_ isSet: Bool) { unsigned(isSet ? 1 : 0) }

  mutating func texts(_ all: [String]) {
    array(all.count)
    for text in all { self.text(text) }
  }

  mutating func device(_ device: DeviceInfo) {
    array(2)
    text(device.id.description)
    text(device.name)
  }

  mutating func proof(_ proof: Proof) {
    array(3)
    integer(proof.incarnation)
    integer(proof.sequence)
    unsigned(proof.nonce)
  }

  mutating func acceptedGroup(_ group: AcceptedGroup) {
    array(2)
    integer(group.sequence)
    unsigned(group.transactionToken)
  }

  mutating func batch(_ deltas: [RecordDelta]) { blob(Batch(deltas: deltas).encode()) }

  mutating func conflicts(_ conflicts: [ConflictEntry]) {
    array(conflicts.count)
    for conflict in conflicts {
      array(7)
      text(conflict.key.entity)
      value(conflict.key.id.value)
      text(conflict.property)
      integer(conflict.loser.life.rawValue)
      integer(conflict.loser.stamp.rawValue)
      value(conflict.loser.value)
      text(conflict.device.description)
    }
  }
}

extension CBORReader {
  private static var limits: WireLimits { .standard }

  mutating func flag(_ what: String) throws(WireError) -> Bool {
    try unsigned(what, limit: 1) == 1
  }

  /// Reads a name: of a device, a zone, an entity, an account.
  mutating func name(_ what: String) throws(WireError) -> String {
    try text(what, limit: MessageLimits.nameBytes)
  }

  mutating func names(_ what: String, limit: Int) throws(WireError) -> [String] {
    var all: [String] = []
    for _ in 0..<(try array(what, limit: limit)) { all.append(try name(what)) }
    return all
  }

  /// Reads the head of an array that has exactly so many items.
  mutating func tuple(_ what: String, of count: Int) throws(WireError) {
    let start = position
    guard try array(what, limit: count) == count else {
      throw error(.wrongType, "the \(what) has not \(count) parts", at: start)
    }
  }

  mutating func deviceID() throws(WireError) -> DeviceID {
    let start = position
    guard let id = DeviceID(try text("device", limit: 64)) else {
      throw error(.wrongType, "this is no device's id", at: start)
    }
    return id
  }

  mutating func device() throws(WireError) -> DeviceInfo {
    try tuple("device", of: 2)
    return DeviceInfo(id: try deviceID(), name: try name("device's name"))
  }

  mutating func zone() throws(WireError) -> ZoneID { ZoneID(rawValue: try name("zone")) }

  mutating func proof() throws(WireError) -> Proof {
    try tuple("proof", of: 3)
    return Proof(
      incarnation: try natural("incarnation"), sequence: try natural("sequence"),
      nonce: try unsigned("nonce"))
  }

  mutating func cursor() throws(WireError) -> Cursor {
    Cursor(bytes: try blob("cursor", limit: MessageLimits.cursorBytes))
  }

  mutating func acceptedGroup() throws(WireError) -> AcceptedGroup {
    try tuple("group's end", of: 2)
    return AcceptedGroup(
      sequence: try natural("sequence"), transactionToken: try unsigned("token"))
  }

  mutating func recordKey() throws(WireError) -> RecordKey {
    let entity = try name("entity")
    let start = position
    guard let id = RecordID(try value(limit: Self.limits.idBytes)) else {
      throw error(.wrongType, "this is no record's id", at: start)
    }
    return RecordKey(entity: entity, id: id)
  }

  mutating func batch(_ what: String) throws(WireError) -> [RecordDelta] {
    let start = position
    let bytes = try blob(what, limit: .max)
    do {
      return try Batch(decoding: bytes).deltas
    } catch {
      // The byte counts from where the batch begins, behind its own head.
      let head = position - start - bytes.count
      throw self.error(error.code, error.reason, at: start + head + error.position)
    }
  }

  mutating func conflicts() throws(WireError) -> [ConflictEntry] {
    var all: [ConflictEntry] = []
    for _ in 0..<(try array("conflicts", limit: Self.limits.deltas)) {
      try tuple("conflict", of: 7)
      all.append(
        ConflictEntry(
          key: try recordKey(), property: try name("property"),
          loser: Version(
            life: try stamp("life"), stamp: try stamp("stamp"),
            value: try value(limit: Self.limits.valueBytes)),
          device: try deviceID()))
    }
    return all
  }

  /// The value of a field that has to be there.
  func need<Value>(_ value: Value?, _ what: String) throws(WireError) -> Value {
    guard let value else { throw error(.missing, "its \(what) is missing", at: 0) }
    return value
  }
}

/// How long the parts of a message may be.
package enum MessageLimits {
  /// Names of devices, zones, entities, properties and accounts.
  package static let nameBytes = 4096
  /// Cursors.
  package static let cursorBytes = 4096
  /// Sentences.
  package static let sentenceBytes = 16 << 10
  /// Devices in one list.
  package static let devices = 100_000
}
