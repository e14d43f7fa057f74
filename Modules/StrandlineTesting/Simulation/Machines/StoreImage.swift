import Strandline

/// All facts that a store holds, read by a plain client.
struct StoreImage {
  /// The facts by record; what lives, what died, and what waits for a life.
  private(set) var records: [RecordKey: RecordState] = [:]

  /// What a shadow row or the like says of a record, before it becomes a state.
  private struct Draft {
    var born = Stamp.unset
    var death: Death?
    var versions: [String: Version] = [:]
    var parked: [RecordState.ParkedKey: Version] = [:]
  }

  init(_ client: RawClient, _ catalog: Catalog) throws {
    var drafts: [RecordKey: Draft] = [:]
    var keys: [Int64: String] = [:]
    for row in try client.rows("SELECT number, key FROM strandline_entity WHERE synced = 1") {
      keys[row[0].integer ?? 0] = row[1].text
    }
    for layout in catalog.layouts where layout.entity.configuration == .synced {
      try Self.read(layout, client, into: &drafts)
    }
    try Self.readUnknown(client, keys, into: &drafts)
    for (key, draft) in drafts {
      records[key] = RecordState(
        born: draft.born, death: draft.death, versions: draft.versions, parked: draft.parked)
    }
  }

  private static func read(
    _ layout: EntityLayout, _ client: RawClient, into drafts: inout [RecordKey: Draft]
  ) throws {
    let columns = layout.columns.map { ", s.\($0.stampColumn), e.\($0.name)" }.joined()
    let rows = try client.rows(
      "SELECT s.id, s.born, s.died, s.deleted\(columns) FROM \(layout.shadow) AS s "
        + "LEFT JOIN \(layout.table) AS e ON e.id = s.id")
    for row in rows {
      guard let id = RecordID(row[0]) else { continue }
      var draft = draft(born: row[1], died: row[2], deleted: row[3])
      for (index, column) in layout.columns.enumerated()
      where draft.born > draft.death?.life ?? .unset {
        let stamp = row[4 + 2 * index].integer.map(Stamp.init) ?? draft.born
        guard stamp != .unset else { continue }
        draft.versions[column.property.key] = Version(
          life: draft.born, stamp: stamp, value: row[5 + 2 * index])
      }
      drafts[RecordKey(entity: layout.entity.key, id: id)] = draft
    }
  }

  private static func draft(born: Value, died: Value, deleted: Value) -> Draft {
    let life = Stamp(rawValue: died.integer ?? 0)
    return Draft(
      born: Stamp(rawValue: born.integer ?? 0),
      death: life == .unset
        ? nil : Death(life: life, stamp: Stamp(rawValue: deleted.integer ?? 0)))
  }

  /// What the model does not know, and what waits.
  private static func readUnknown(
    _ client: RawClient, _ keys: [Int64: String], into drafts: inout [RecordKey: Draft]
  ) throws {
    func key(_ entity: Value, _ id: Value) -> RecordKey? {
      guard let name = keys[entity.integer ?? 0], let id = RecordID(id) else { return nil }
      return RecordKey(entity: name, id: id)
    }
    for row in try client.rows(
      "SELECT entity, record, born, died, deleted FROM strandline_unknown_record")
    {
      guard let key = key(row[0], row[1]) else { continue }
      drafts[key] = draft(born: row[2], died: row[3], deleted: row[4])
    }
    for row in try client.rows(
      "SELECT entity, record, property, stamp, value FROM strandline_unknown_value")
    {
      guard let key = key(row[0], row[1]), let property = row[2].text else { continue }
      let life = drafts[key]?.born ?? .unset
      drafts[key, default: Draft()].versions[property] = Version(
        life: life, stamp: Stamp(rawValue: row[3].integer ?? 0), value: row[4])
    }
    for row in try client.rows(
      "SELECT entity, record, life, property, stamp, value FROM strandline_parked")
    {
      guard let key = key(row[0], row[1]), let property = row[3].text else { continue }
      let life = Stamp(rawValue: row[2].integer ?? 0)
      drafts[key, default: Draft()].parked[.init(life: life, property: property)] = Version(
        life: life, stamp: Stamp(rawValue: row[4].integer ?? 0), value: row[5])
    }
  }
}

extension RecordState {
  /// Whether whoever holds this state holds a fact, or one that takes its place.
  func covers(birth: Stamp) -> Bool { born >= birth || died >= birth }

  /// Whether whoever holds this state knows that a life is over.
  func covers(death life: Stamp) -> Bool { died >= life }

  /// Whether whoever holds this state holds a version, or what takes its place.
  func covers(_ version: Version, of property: String) -> Bool {
    if died >= version.life || born > version.life { return true }
    if born == version.life { return versions[property].map { $0 >= version } ?? false }
    return parked[.init(life: version.life, property: property)].map { $0 >= version } ?? false
  }
}
