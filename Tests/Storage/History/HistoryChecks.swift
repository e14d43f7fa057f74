import StrandlineModels
import StrandlineStorage

/// Compares what a store holds with what the model says.
extension HistoryWorld {
  func check(_ model: HistoryModel, _ expected: Expectation) throws {
    var wrong: [String] = []
    for layout in numbers.values.sorted(by: { $0.number < $1.number }) {
      wrong += try differences(model, layout)
    }
    wrong += try parkedDifferences(model) + carriedDifferences(model)
    wrong += try logDifferences(model, expected)
    wrong += try transactionDifferences(expected)
    if !wrong.isEmpty { throw Mismatch(description: wrong.joined(separator: "\n")) }
  }

  private func differences(_ model: HistoryModel, _ layout: EntityLayout) throws -> [String] {
    let entity = layout.entity.name
    let columns = layout.columns.map { ", s.\($0.stampColumn), e.\($0.name)" }.joined()
    let rows = try inspector.run(
      """
      SELECT s.id, s.born, s.died, s.deleted, e.id IS NOT NULL\(columns) FROM \(layout.shadow) AS s
      LEFT JOIN \(layout.table) AS e ON e.id = s.id
      """)
    var known = model.facts.filter { $0.key.entity == entity && $0.value.isKnown }
    var wrong: [String] = []
    for row in rows {
      let key = Key(entity: entity, id: RecordID(row[0]) ?? RecordID(text: "?"))
      let found = Self.facts(row, layout, parked: model[key].parked)
      guard let wanted = known.removeValue(forKey: key) else {
        wrong.append("\(key) has a shadow")
        continue
      }
      let shown = wanted.without { model.missing.hides($0, of: entity) }
      if found != shown { wrong.append("\(key) is \(found) instead of \(shown)") }
      if (row[4] == .integer(1)) != wanted.isAlive { wrong.append("\(key) has the wrong row") }
    }
    let count = try inspector.run("SELECT count(*) FROM \(layout.table)")[0][0].integer
    if count != Int64(model.living(entity).count) { wrong.append("\(entity) has rows too many") }
    return wrong + known.keys.map { "\($0) has no shadow" }
  }

  private static func facts(
    _ row: [Value], _ layout: EntityLayout, parked: [RecordState.ParkedKey: Version]
  ) -> HistoryModel.Facts {
    let stamps = row.map { Stamp(rawValue: $0.integer ?? 0) }
    var facts = HistoryModel.Facts(
      born: stamps[1],
      death: stamps[2] == .unset ? nil : Death(life: stamps[2], stamp: stamps[3]),
      parked: parked)
    guard facts.isAlive else { return facts }
    for (index, column) in layout.columns.enumerated() {
      let place = 5 + 2 * index
      facts.stamps[column.property.key] = row[place].isNull ? facts.born : stamps[place]
      facts.values[column.property.key] = row[place + 1]
    }
    return facts
  }

  private func parkedDifferences(_ model: HistoryModel) throws -> [String] {
    let rows = try inspector.run(
      """
      SELECT (SELECT key FROM strandline_entity WHERE number = entity), record, life, property,
        stamp, value FROM strandline_parked
      """)
    var wanted: Set<[Value]> = []
    for (key, facts) in model.facts {
      for (place, version) in facts.parked {
        wanted.insert([
          .text(key.entity), key.id.value, .integer(place.life.rawValue), .text(place.property),
          .integer(version.stamp.rawValue), version.value,
        ])
      }
    }
    let found = Set(rows)
    return found == wanted ? [] : ["parked are \(found) instead of \(wanted)"]
  }

  /// What the present model does not have must stand, with its stamp, where it is carried.
  private func carriedDifferences(_ model: HistoryModel) throws -> [String] {
    let names = try inspector.run("SELECT number, key FROM strandline_entity")
    let keys = Dictionary(uniqueKeysWithValues: names.map { ($0[0], $0[1]) })
    let values = try inspector.run(
      "SELECT entity, record, property, stamp, value FROM strandline_unknown_value")
    let records = try inspector.run(
      "SELECT entity, record, born, died, deleted FROM strandline_unknown_record "
        + "WHERE born > 0 OR died > 0")
    var wantedValues: Set<[Value]> = []
    var wantedRecords: Set<[Value]> = []
    for (key, facts) in model.facts {
      let isMissing = model.missing.entities.contains(key.entity)
      if isMissing && facts.isKnown {
        let deleted = facts.death?.stamp ?? .unset
        wantedRecords.insert(
          [.text(key.entity), key.id.value]
            + [facts.born, facts.died, deleted].map { .integer($0.rawValue) })
      }
      for (name, stamp) in facts.stamps where stamp != .unset && facts.isAlive {
        guard isMissing || model.missing.hides(name, of: key.entity) else { continue }
        wantedValues.insert([
          .text(key.entity), key.id.value, .text(name), .integer(stamp.rawValue),
          facts.values[name] ?? .null,
        ])
      }
    }
    func named(_ rows: [[Value]]) -> Set<[Value]> {
      Set(rows.map { row in [keys[row[0]] ?? .null] + row.dropFirst() })
    }
    return
      (named(values) == wantedValues
      ? [] : ["carried are \(named(values)) instead of \(wantedValues)"])
      + (named(records) == wantedRecords
        ? [] : ["carried records are \(named(records)) instead of \(wantedRecords)"])
  }

  private func logDifferences(
    _ model: HistoryModel, _ expected: Expectation
  ) throws -> [String] {
    let rows = try inspector.run(
      """
      SELECT entity, record, kind, properties, stamp,
        (SELECT key FROM strandline_entity WHERE number = entity) FROM strandline_log
      WHERE sequence > ? ORDER BY sequence
      """, [.integer(expected.checkedSequence)])
    let found = rows.map { row in
      let layout = numbers[row[0].integer ?? 0]
      return LoggedChange(
        entity: row[5].text ?? "?", id: RecordID(row[1]) ?? RecordID(text: "?"),
        kind: LogKind(rawValue: row[2].integer ?? 0) ?? .unknown,
        properties: Set(layout?.keys(in: row[3].integer ?? 0, bank: 0) ?? []),
        stamp: Stamp(rawValue: row[4].integer ?? 0))
    }
    let wanted = model.log.dropFirst(expected.checkedRows).sorted {
      Self.order($0.change, $1.change)
    }
    let sorted = found.sorted(by: Self.order)
    guard sorted.map(\.what) == wanted.map(\.change.what) else {
      return ["the log is \(found) instead of \(wanted.map(\.change))"]
    }
    return zip(sorted, wanted).compactMap { have, want in
      let isRight =
        want.isExact ? have.stamp == want.change.stamp : have.stamp >= want.change.stamp
      return isRight ? nil : "\(have) is logged at \(have.stamp), not \(want.change.stamp)"
    }
  }

  private static func order(_ left: LoggedChange, _ right: LoggedChange) -> Bool {
    left.description != right.description
      ? left.description < right.description : left.stamp < right.stamp
  }

  private func transactionDifferences(_ expected: Expectation) throws -> [String] {
    let rows = try inspector.run(
      "SELECT first, last, origin FROM strandline_transaction WHERE last > ? ORDER BY id",
      [.integer(expected.head)])
    let sequences = try inspector.run(
      "SELECT sequence FROM strandline_log WHERE sequence > ? ORDER BY sequence",
      [.integer(expected.head)]
    )
    .compactMap { $0[0].integer }
    var wrong: [String] = []
    var next = expected.head
    let found = rows.map { row in
      let (first, last) = (row[0].integer ?? 0, row[1].integer ?? 0)
      if first != next + 1 { wrong.append("a transaction begins at \(first) after \(next)") }
      next = last
      return "\(row[2].integer ?? 0): \(sequences.count { $0 >= first && $0 <= last })"
    }
    let wanted = expected.sealed.map { "\($0.origin): \($0.count)" }
    if found != wanted { wrong.append("transactions are \(found) instead of \(wanted)") }
    return wrong
  }
}

extension HistoryModel.Facts {
  /// The facts without some properties.
  func without(_ isHidden: (String) -> Bool) -> HistoryModel.Facts {
    var shown = self
    shown.stamps = stamps.filter { !isHidden($0.key) }
    shown.values = values.filter { !isHidden($0.key) }
    return shown
  }
}
