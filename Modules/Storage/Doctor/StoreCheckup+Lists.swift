import StrandlineModels

extension StoreCheckup {
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
    let count = Int64(try transaction.orphanCount())
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
