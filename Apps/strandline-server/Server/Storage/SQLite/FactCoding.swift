import StrandlineModels
import StrandlineStorage
import StrandlineTransport
import StrandlineWireFormat

/// Writes and reads facts as they stand in a row: a short run of CBOR items.
///
/// The items are a base stamp, the birth, the death's life and, where that is there, its stamp,
/// then an array of properties and values whose life and stamp are the base, then one of
/// property, life, stamp and value for the others. A stamp is null where it equals the base and 0
/// where it is not there. Properties are numbers of the table of names, and stand in their order,
/// so that equal facts are equal bytes.
struct FactCoding {
  let number: (String) throws -> Int64
  let name: (Int64) throws -> String

  private struct Entry {
    let property: Int64
    let version: Version
  }

  /// Appends a delta without its key.
  func write(_ delta: RecordDelta, to writer: inout CBORWriter) throws {
    let entries = try delta.versions
      .map { Entry(property: try number($0.key), version: $0.value) }
      .sorted { $0.property < $1.property }
    let base = delta.birth ?? delta.death?.life ?? entries.first?.version.stamp ?? .unset
    writer.integer(base.rawValue)
    write(delta.birth, base, to: &writer)
    write(delta.death?.life, base, to: &writer)
    if let death = delta.death { write(death.stamp, base, to: &writer) }
    let plain = entries.filter { $0.version.life == base && $0.version.stamp == base }
    writer.array(plain.count * 2)
    for entry in plain {
      writer.integer(entry.property)
      writer.value(entry.version.value)
    }
    writer.array((entries.count - plain.count) * 4)
    guard entries.count > plain.count else { return }
    for entry in entries where entry.version.life != base || entry.version.stamp != base {
      writer.integer(entry.property)
      write(entry.version.life, base, to: &writer)
      write(entry.version.stamp, base, to: &writer)
      writer.value(entry.version.value)
    }
  }

  private func write(_ stamp: Stamp?, _ base: Stamp, to writer: inout CBORWriter) {
    if let stamp, stamp == base { writer.null() } else { writer.integer(stamp?.rawValue ?? 0) }
  }

  /// Reads a delta of a key.
  func read(_ key: RecordKey, from reader: inout CBORReader) throws -> RecordDelta {
    let base = try reader.stamp("base")
    var delta = RecordDelta(key: key)
    delta.birth = try readStamp(base, from: &reader)
    if let life = try readStamp(base, from: &reader) {
      delta.death = Death(life: life, stamp: try readStamp(base, from: &reader) ?? .unset)
    }
    let plain = try reader.array("properties", limit: .max) / 2
    delta.versions.reserveCapacity(plain)
    for _ in 0..<plain {
      let property = try name(try reader.natural("property"))
      let value = try reader.value(limit: .max)
      delta.versions[property] = Version(life: base, stamp: base, value: value)
    }
    for _ in 0..<(try reader.array("versions", limit: .max) / 4) {
      let property = try name(try reader.natural("property"))
      let life = try readStamp(base, from: &reader) ?? .unset
      let stamp = try readStamp(base, from: &reader) ?? .unset
      let value = try reader.value(limit: .max)
      delta.versions[property] = Version(life: life, stamp: stamp, value: value)
    }
    return delta
  }

  private func readStamp(_ base: Stamp, from reader: inout CBORReader) throws -> Stamp? {
    switch try reader.value(limit: 0) {
    case .null: return base
    case .integer(0): return nil
    case .integer(let bits): return Stamp(rawValue: bits)
    default: throw reader.error(.wrongType, "a stamp is expected")
    }
  }
}

// A record's key, and a value that lost.
extension FactCoding {
  func write(_ key: RecordKey, to writer: inout CBORWriter) throws {
    writer.integer(try number(key.entity))
    writer.value(key.id.value)
  }

  func readKey(from reader: inout CBORReader) throws -> RecordKey {
    let entity = try name(try reader.natural("entity"))
    guard let id = RecordID(try reader.value(limit: .max)) else {
      throw reader.error(.wrongType, "an id is expected")
    }
    return RecordKey(entity: entity, id: id)
  }

  /// Appends a conflict without the device that had written its value.
  func write(_ conflict: ConflictEntry, to writer: inout CBORWriter) throws {
    try write(conflict.key, to: &writer)
    writer.integer(try number(conflict.property))
    writer.integer(conflict.loser.life.rawValue)
    writer.integer(conflict.loser.stamp.rawValue)
    writer.value(conflict.loser.value)
  }

  func readConflict(
    by device: DeviceID, from reader: inout CBORReader
  ) throws -> ConflictEntry {
    let key = try readKey(from: &reader)
    let property = try name(try reader.natural("property"))
    let version = try readVersion(from: &reader)
    return ConflictEntry(key: key, property: property, loser: version, device: device)
  }

  private func readVersion(from reader: inout CBORReader) throws -> Version {
    guard let life = try reader.value(limit: 0).integer,
      let stamp = try reader.value(limit: 0).integer
    else { throw reader.error(.wrongType, "stamps are expected") }
    return Version(
      life: Stamp(rawValue: life), stamp: Stamp(rawValue: stamp),
      value: try reader.value(limit: .max))
  }
}
