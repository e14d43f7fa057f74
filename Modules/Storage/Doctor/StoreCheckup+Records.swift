import StrandlineModels

extension StoreCheckup {
  /// Whether the tables and the stamps beside them tell of the same records.
  func checkRecords() throws -> CheckupFinding {
    var withoutRow: Int64 = 0
    var withoutLife: Int64 = 0
    for layout in catalog.layouts {
      withoutRow += try connection.integer(
        """
        SELECT count(*) FROM \(layout.shadow) AS s WHERE s.born > s.died
          AND NOT EXISTS (SELECT 1 FROM \(layout.table) AS e WHERE e.id = s.id)
        """)
      withoutLife += try connection.integer(
        """
        SELECT count(*) FROM \(layout.table) AS e WHERE NOT EXISTS (
          SELECT 1 FROM \(layout.shadow) AS s WHERE s.id = e.id AND s.born > s.died)
        """)
    }
    guard withoutRow + withoutLife > 0 else {
      return .ok("records", "Every living record has its row, and every row its stamps.")
    }
    return CheckupFinding(
      "records", .problem,
      "\(CheckupFinding.count(withoutRow, "living record has", "living records have")) no row, and "
        + "\(CheckupFinding.count(withoutLife, "row has", "rows have")) no life: somebody wrote "
        + "with triggers off or dropped a table.",
      cure: "Keep a copy. Delete the rows without a life and insert them again with triggers on; "
        + "rows that are gone come back from a backup or by syncing into a new store.")
  }

  /// Whether all stamps are such as a clock mints, and not later than the store's own.
  func checkStamps() throws -> CheckupFinding {
    let bound = try connection.integer(
      """
      SELECT max(seen, coalesce((SELECT max(stamp) FROM strandline_log WHERE sequence >
        coalesce((SELECT max(last) FROM strandline_transaction), 0)), 0)) FROM strandline_clock
      """)
    var late: Int64 = 0
    var illegal: Int64 = 0
    for layout in catalog.layouts {
      let stamps = layout.columns.map(\.stampColumn)
      let all = (["born", "died", "deleted"] + stamps).map { "coalesce(\($0), 0)" }
      let (greatest, least) = (Self.fold("max", all), Self.fold("min", all))
      let row = try connection.first(
        """
        SELECT coalesce(sum(\(greatest) > ?1), 0),
          coalesce(sum(\(least) < 0 OR born = 0 AND died = 0
            OR typeof(born) <> 'integer' OR typeof(died) <> 'integer'), 0)
        FROM \(layout.shadow)
        """, [.integer(bound)]
      ) { ($0.integer(0), $0.integer(1)) }
      late += row?.0 ?? 0
      illegal += row?.1 ?? 0
    }
    guard late + illegal > 0 else {
      return .ok("stamps", "No stamp is later than the store's clock.")
    }
    return CheckupFinding(
      "stamps", .problem,
      "\(CheckupFinding.count(late, "record has", "records have")) stamps later than the store's "
        + "clock, and \(CheckupFinding.count(illegal, "record has", "records have")) stamps that "
        + "are none.",
      cure: "Another program wrote to Strandline's own tables. Restore a backup, or sync into a "
        + "new store.")
  }

  /// The greatest or least of any number of terms; SQLite's functions take 127 arguments.
  private static func fold(_ function: String, _ terms: [String]) -> String {
    var rest = terms
    while rest.count > 100 {
      let group = rest.prefix(100).joined(separator: ", ")
      rest = ["\(function)(\(group))"] + rest.dropFirst(100)
    }
    return "\(function)(\(rest.joined(separator: ", ")))"
  }

  // MARK: What is listed

  func checkOwnObjects() throws -> CheckupFinding {
    let kept = try OwnObjects.kept(connection)
    guard !kept.isEmpty else {
      return .ok("ownObjects", "No index, view or trigger of yours was put away.")
    }
    let names = kept.map { "\($0.type) \($0.name)" }.joined(separator: ", ")
    return CheckupFinding(
      "ownObjects", .warning,
      "The model no longer has what these use, so that they were put away: \(names).",
      cure: "Their definitions are in strandline_meta under '\(OwnObjects.prefix)…'. Make them "
        + "anew as they should be now, and delete those rows.")
  }

  /// Values that the columns of the model would convert, and which are therefore carried.
  func checkKeptValues() throws -> CheckupFinding {
    var found: [String] = []
    for layout in catalog.layouts {
      for column in layout.columns {
        let count = try connection.integer(
          """
          SELECT count(*) FROM strandline_unknown_value AS u JOIN \(layout.shadow) AS s
            ON s.id = u.record
          WHERE u.entity = ? AND u.property = ? AND s.born > s.died
            AND u.stamp > coalesce(s.\(column.stampColumn), s.born)
          """, [.integer(layout.number), .text(column.property.key)])
        if count > 0 {
          found.append("\(layout.entity.name).\(column.property.name) (\(count))")
        }
      }
    }
    guard !found.isEmpty else {
      return .ok("keptValues", "Every value fits the type of its property.")
    }
    return CheckupFinding(
      "keptValues", .warning,
      "Values of another type are kept beside their columns, which show their defaults: "
        + found.joined(separator: ", ") + ".",
      cure: "Save values of the property's type in their place, or give it a type that holds them.")
  }

  /// A reference to what has not arrived or is gone is normal, and is no damage.
  func checkOrphans() throws -> CheckupFinding {
    var count: Int64 = 0
    for layout in catalog.layouts {
      for column in layout.columns {
        guard let destination = column.property.destination,
          let target = catalog.layouts.first(where: { $0.entity.name == destination })
        else { continue }
        count += try connection.integer(
          """
          SELECT count(*) FROM \(layout.table) AS e WHERE e.\(column.name) IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM \(target.table) AS t WHERE t.id = e.\(column.name))
          """)
      }
    }
    guard count > 0 else { return .ok("orphans", "Every reference leads to a record.") }
    return CheckupFinding(
      "orphans", .warning,
      "\(CheckupFinding.count(count, "reference leads", "references lead")) to records that are "
        + "not here.",
      cure: "They heal by themselves when those arrive. Where they were deleted, set the "
        + "references to null.")
  }

  func checkConflicts() throws -> CheckupFinding {
    let lost = try connection.integer("SELECT count(*) FROM strandline_conflict")
    let parked = try connection.integer("SELECT count(*) FROM strandline_parked")
    return .ok(
      "conflicts",
      "\(CheckupFinding.count(lost, "value")) that lost to concurrent ones are kept, and "
        + "\(CheckupFinding.count(parked, "value")) wait for their records.")
  }
}
