import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

// Values that lost travel as batches of the versions that they were, one batch for each device
// that had written some, since a batch does not say by whom its versions are.

extension CBORWriter {
  /// Writes values that lost: for each device its bytes and a batch.
  mutating func conflicts(_ entries: [ConflictEntry]) {
    let batches = Self.batches(of: entries)
    array(2 * batches.count)
    for (device, deltas) in batches {
      blob(device.bytes)
      blob(Batch(deltas: deltas).encode())
    }
  }

  /// Puts entries into as few batches as hold each property of a record at most once.
  private static func batches(
    of entries: [ConflictEntry]
  ) -> [(device: DeviceID, deltas: [RecordDelta])] {
    var batches: [(device: DeviceID, deltas: [RecordKey: RecordDelta])] = []
    for entry in entries {
      let place = batches.firstIndex {
        $0.device == entry.device && $0.deltas[entry.key]?.versions[entry.property] == nil
      }
      if place == nil { batches.append((entry.device, [:])) }
      let index = place ?? batches.count - 1
      batches[index].deltas[entry.key, default: RecordDelta(key: entry.key)]
        .versions[entry.property] = entry.loser
    }
    return batches.map { batch in
      let ordered = batch.deltas.values.sorted {
        ($0.key.entity, $0.key.id) < ($1.key.entity, $1.key.id)
      }
      return (batch.device, ordered)
    }
  }
}

extension CBORReader {
  private static let batchesLimit = 20_000
  private static let batchBytesLimit = 64 << 20

  /// Reads values that lost, as ``CBORWriter/conflicts(_:)`` writes them.
  mutating func conflicts() throws(WireError) -> [ConflictEntry] {
    let count = try array("values that lost", limit: Self.batchesLimit)
    guard count.isMultiple(of: 2) else {
      throw error(.wrongType, "devices and batches come in pairs")
    }
    var entries: [ConflictEntry] = []
    for _ in 0..<count / 2 {
      let device = try device()
      let bytes = try blob("values that lost", limit: Self.batchBytesLimit)
      let batch = try Batch(decoding: bytes)
      for delta in batch.deltas {
        for (property, version) in delta.versions.sorted(by: { $0.key < $1.key }) {
          entries.append(
            ConflictEntry(key: delta.key, property: property, loser: version, device: device))
        }
      }
    }
    return entries
  }
}
