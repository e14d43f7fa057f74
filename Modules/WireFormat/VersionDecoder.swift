import StrandlineModels

/// Reads the versions of one delta.
struct VersionDecoder {
  let properties: [String]
  let limits: WireLimits
  var versions: [String: Version]

  mutating func decode(
    _ key: UInt64, birth: Stamp?, from reader: inout CBORReader
  ) throws(WireError) {
    if key == DeltaKey.other { return try decodeOther(from: &reader) }
    guard let birth else {
      throw reader.error(.missing, "the change's birth is missing")
    }
    if key == DeltaKey.born {
      try decodeValues(life: birth, stamp: birth, from: &reader)
    } else {
      let count = try reader.array("later versions", limit: 2 * limits.properties)
      try decodeStamped(count, life: birth, from: &reader)
    }
  }

  private mutating func decodeOther(from reader: inout CBORReader) throws(WireError) {
    for _ in 0..<(try reader.array("lives", limit: limits.properties)) {
      let start = reader.position
      let count = try reader.array("versions of a life", limit: 1 + 2 * limits.properties)
      guard count > 0 else {
        throw reader.error(.wrongType, "the versions of a life begin with it", at: start)
      }
      let life = try reader.stamp("life")
      try decodeStamped(count - 1, life: life, from: &reader)
    }
  }

  private mutating func decodeStamped(
    _ count: Int, life: Stamp, from reader: inout CBORReader
  ) throws(WireError) {
    guard count.isMultiple(of: 2) else {
      throw reader.error(.wrongType, "stamps and properties come in pairs")
    }
    for _ in 0..<count / 2 {
      let stamp = try reader.stamp("stamp")
      try decodeValues(life: life, stamp: stamp, from: &reader)
    }
  }

  private mutating func decodeValues(
    life: Stamp, stamp: Stamp, from reader: inout CBORReader
  ) throws(WireError) {
    for _ in 0..<(try reader.map("properties", limit: limits.properties)) {
      let start = reader.position
      let name = properties[try reader.index("property", below: properties.count)]
      let value = try reader.value(limit: limits.valueBytes)
      let version = Version(life: life, stamp: stamp, value: value)
      guard versions.updateValue(version, forKey: name) == nil else {
        throw reader.error(.duplicateKey, "a property stands twice in one change", at: start)
      }
    }
  }
}
