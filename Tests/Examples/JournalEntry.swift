import Strandline

// What the guide "Write your own transport" shows: what stands in the journal.

/// One entry of the journal.
enum JournalEntry {
  /// A zone was made.
  case zone(JournalZone)
  /// A device has sent a group.
  case group(JournalGroup)
  /// A device has read so many groups of a zone.
  case receipt(zone: ZoneID, DeviceInfo, position: Int64, at: Int64)
  /// A zone was purged.
  case purge(zone: ZoneID, by: String)
}

struct JournalZone {
  var id: ZoneID
  var name: String
  var environment: ZoneEnvironment
  var nonce: UInt64
}

struct JournalGroup {
  var zone: ZoneID
  var device: DeviceInfo
  var header: GroupHeader
  /// How many groups of the zone the writer had read.
  var read: Int64
  /// A random number, so that this entry cannot be taken for another one in its place.
  var nonce: UInt64
  var deltas: [RecordDelta]
  var conflicts: [ConflictEntry]
}

extension JournalEntry {
  var zone: ZoneID {
    switch self {
    case .zone(let zone): zone.id
    case .group(let group): group.zone
    case .receipt(let zone, _, _, _), .purge(let zone, _): zone
    }
  }

  /// The entry as bytes: a batch says in its header what kind of entry it is.
  func encode() -> [UInt8] {
    switch self {
    case .zone(let zone):
      Batch(
        header: [
          "kind": .text("zone"), "zone": .text(zone.id.rawValue), "name": .text(zone.name),
          "environment": .text(zone.environment.rawValue), "nonce": .number(zone.nonce),
        ], deltas: []
      ).encode()
    case .group(let group):
      group.batch.encode()
    case .receipt(let zone, let device, let position, let time):
      Batch(
        header: [
          "kind": .text("receipt"), "zone": .text(zone.rawValue),
          "device": .text(device.id.description), "name": .text(device.name),
          "position": .integer(position), "at": .integer(time),
        ], deltas: []
      ).encode()
    case .purge(let zone, let name):
      Batch(
        header: [
          "kind": .text("purge"), "zone": .text(zone.rawValue), "name": .text(name),
        ], deltas: []
      ).encode()
    }
  }

  /// Reads an entry; nil where the batch is none.
  init?(_ bytes: [UInt8]) throws(WireError) {
    let batch = try Batch(decoding: bytes)
    guard let kind = batch.header["kind"]?.text,
      let zone = batch.header["zone"]?.text.map(ZoneID.init(rawValue:)),
      let name = batch.header["name"]?.text
    else { return nil }
    let header = batch.header
    switch kind {
    case "zone":
      guard let environment = header["environment"]?.text.flatMap(ZoneEnvironment.init),
        let nonce = header["nonce"]?.number
      else { return nil }
      self = .zone(JournalZone(id: zone, name: name, environment: environment, nonce: nonce))
    case "group":
      guard let group = try JournalGroup(batch, zone: zone, deviceName: name) else { return nil }
      self = .group(group)
    case "receipt":
      guard let device = header["device"]?.text.flatMap(DeviceID.init),
        let position = header["position"]?.integer, let time = header["at"]?.integer
      else { return nil }
      self = .receipt(zone: zone, DeviceInfo(id: device, name: name), position: position, at: time)
    case "purge": self = .purge(zone: zone, by: name)
    default: return nil
    }
  }
}

extension JournalGroup {
  fileprivate var batch: Batch {
    // A conflict is a version of a property of a record, like a change, and who had written it.
    let losers = Batch(
      header: ["devices": .text(conflicts.map(\.device.description).joined(separator: " "))],
      deltas: conflicts.map { RecordDelta(key: $0.key, versions: [$0.property: $0.loser]) })
    return Batch(
      header: [
        "kind": .text("group"), "zone": .text(zone.rawValue), "name": .text(device.name),
        "device": .text(device.id.description), "token": .number(header.token),
        "base": .integer(header.base), "sequence": .integer(header.sequence),
        "transaction": .number(header.transactionToken),
        "incomplete": .integer(Int64(header.incomplete)),
        "part": .integer(header.isPartOfUpload ? 1 : 0), "read": .integer(read),
        "nonce": .number(nonce), "losers": .blob(losers.encode()),
      ], deltas: deltas)
  }

  fileprivate init?(_ batch: Batch, zone: ZoneID, deviceName: String) throws(WireError) {
    let values = batch.header
    guard let device = values["device"]?.text.flatMap(DeviceID.init),
      let token = values["token"]?.number, let base = values["base"]?.integer,
      let sequence = values["sequence"]?.integer,
      let transaction = values["transaction"]?.number, let read = values["read"]?.integer,
      let nonce = values["nonce"]?.number, let losers = values["losers"]?.blob
    else { return nil }
    self.zone = zone
    self.device = DeviceInfo(id: device, name: deviceName)
    header = GroupHeader(
      token: token, base: base, sequence: sequence, transactionToken: transaction,
      recordCount: batch.deltas.count, incomplete: Int(values["incomplete"]?.integer ?? 0),
      isPartOfUpload: values["part"]?.integer == 1)
    self.read = read
    self.nonce = nonce
    deltas = batch.deltas
    let lost = try Batch(decoding: losers)
    let writers = (lost.header["devices"]?.text ?? "").split(separator: " ")
    conflicts = zip(lost.deltas, writers).flatMap { delta, writer in
      delta.versions.compactMap { property, version in
        DeviceID(String(writer)).map {
          ConflictEntry(key: delta.key, property: property, loser: version, device: $0)
        }
      }
    }
  }
}

extension Value {
  fileprivate static func number(_ number: UInt64) -> Value {
    .integer(Int64(bitPattern: number))
  }

  fileprivate var number: UInt64? { integer.map(UInt64.init(bitPattern:)) }
}
