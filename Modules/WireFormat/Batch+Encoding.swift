import StrandlineModels

extension Batch {
  /// Writes the batch as bytes.
  ///
  /// The batch is a map: 0 the format, 1 the header, 2 the entities as pairs of a name and the
  /// names of its properties, 3 the deltas. A delta is a map: 0 its entity's number, 1 the id, 2 the
  /// birth, 3 the death as a pair of life and stamp, and its versions as maps from a property's number
  /// to a value: under 4 those that share the birth's stamp; under 5 later ones of that life,
  /// each map after its stamp; under 6 those of other lives, for each life an array that begins
  /// with it.
  public func encode() -> [UInt8] {
    let tables = BatchTables(of: deltas)
    var writer = CBORWriter()
    writer.map(header.isEmpty ? 3 : 4)
    writer.unsigned(BatchKey.format)
    writer.unsigned(Self.format)
    if !header.isEmpty {
      writer.unsigned(BatchKey.header)
      encodeHeader(to: &writer)
    }
    writer.unsigned(BatchKey.entities)
    writer.array(tables.entities.count)
    for entity in tables.entities {
      writer.array(2)
      writer.text(entity.name)
      writer.array(entity.properties.count)
      for property in entity.properties { writer.text(property) }
    }
    writer.unsigned(BatchKey.deltas)
    writer.array(deltas.count)
    for delta in deltas { Self.encode(delta, with: tables, to: &writer) }
    return writer.bytes
  }

  private func encodeHeader(to writer: inout CBORWriter) {
    writer.map(header.count)
    for (name, value) in header.sorted(by: { ExactName.precedes($0.key, $1.key) }) {
      writer.text(name)
      writer.value(value)
    }
  }

  private static func encode(
    _ delta: RecordDelta, with tables: BatchTables, to writer: inout CBORWriter
  ) {
    // The tables were made of these deltas, so every name has its number.
    guard let number = tables.number(ofEntity: delta.key.entity) else { return }
    let groups = VersionGroups(of: delta, in: tables.entities[number])
    var count = 2
    for isThere in [
      delta.birth != nil, delta.death != nil, !groups.born.isEmpty, !groups.later.isEmpty,
      !groups.other.isEmpty,
    ] where isThere { count += 1 }
    writer.map(count)
    writer.unsigned(DeltaKey.entity)
    writer.unsigned(UInt64(number))
    writer.unsigned(DeltaKey.id)
    writer.value(delta.key.id.value)
    if let birth = delta.birth {
      writer.unsigned(DeltaKey.birth)
      writer.integer(birth.rawValue)
    }
    if let death = delta.death {
      writer.unsigned(DeltaKey.death)
      writer.array(2)
      writer.integer(death.life.rawValue)
      writer.integer(death.stamp.rawValue)
    }
    groups.encode(to: &writer)
  }
}

/// A delta's versions, put together by life and stamp so that neither is repeated.
private struct VersionGroups {
  struct Entry {
    let property: Int
    let version: Version
  }

  private(set) var born: [Entry] = []
  private(set) var later: [[Entry]] = []
  private(set) var other: [[[Entry]]] = []

  init(of delta: RecordDelta, in table: BatchTables.EntityTable) {
    var entries: [Entry] = []
    entries.reserveCapacity(delta.versions.count)
    for (name, version) in delta.versions {
      guard let number = table.numbers[ExactName(text: name)] else { continue }
      entries.append(Entry(property: number, version: version))
    }
    // Nearly all that a first sync carries was only inserted: one run, which needs no sorting out.
    if let birth = delta.birth,
      entries.allSatisfy({ $0.version.life == birth && $0.version.stamp == birth })
    {
      born = entries.sorted { $0.property < $1.property }
      return
    }
    let sorted = entries.sorted {
      ($0.version.life, $0.version.stamp, $0.property)
        < ($1.version.life, $1.version.stamp, $1.property)
    }
    for life in Self.runs(sorted, by: { $0.version.life == $1.version.life }) {
      var stamps = Self.runs(life, by: { $0.version.stamp == $1.version.stamp })
      guard life[0].version.life == delta.birth else {
        other.append(stamps)
        continue
      }
      if let index = stamps.firstIndex(where: { $0[0].version.stamp == delta.birth }) {
        born = stamps.remove(at: index)
      }
      later = stamps
    }
  }

  private static func runs(_ entries: [Entry], by same: (Entry, Entry) -> Bool) -> [[Entry]] {
    var runs: [[Entry]] = []
    for entry in entries {
      if let last = runs.last?.last, same(last, entry) {
        runs[runs.count - 1].append(entry)
      } else {
        runs.append([entry])
      }
    }
    return runs
  }

  func encode(to writer: inout CBORWriter) {
    if !born.isEmpty {
      writer.unsigned(DeltaKey.born)
      Self.encodeValues(born, to: &writer)
    }
    if !later.isEmpty {
      writer.unsigned(DeltaKey.later)
      writer.array(2 * later.count)
      for entries in later { Self.encodeStamped(entries, to: &writer) }
    }
    if !other.isEmpty {
      writer.unsigned(DeltaKey.other)
      writer.array(other.count)
      for life in other {
        writer.array(1 + 2 * life.count)
        writer.integer(life[0][0].version.life.rawValue)
        for entries in life { Self.encodeStamped(entries, to: &writer) }
      }
    }
  }

  private static func encodeStamped(_ entries: [Entry], to writer: inout CBORWriter) {
    writer.integer(entries[0].version.stamp.rawValue)
    encodeValues(entries, to: &writer)
  }

  private static func encodeValues(_ entries: [Entry], to writer: inout CBORWriter) {
    writer.map(entries.count)
    for entry in entries {
      writer.unsigned(UInt64(entry.property))
      writer.value(entry.version.value)
    }
  }
}
