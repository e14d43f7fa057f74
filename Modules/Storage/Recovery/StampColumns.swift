import StrandlineModels

/// Every column of a store that holds stamps of changes.
struct StampColumns {
  /// One of them; what is no number there is damage, which is left as it is.
  struct Column {
    let table: String
    let name: String

    /// Whether it lies beyond the stamp `?1`.
    var isBeyond: String { "typeof(\(name)) = 'integer' AND \(name) > ?1" }

    /// Puts the new stamps in the place of those beyond `?1`.
    var replacement: String {
      """
      UPDATE \(table) SET \(name) = (SELECT new FROM temp.strandline_replaced WHERE old = \(name))
      WHERE \(isBeyond)
      """
    }
  }

  let all: [Column]

  init(catalog: Catalog) {
    var columns = catalog.layouts.flatMap { layout in
      (["born", "died", "deleted"] + layout.columns.map(\.stampColumn)).map {
        Column(table: layout.shadow, name: $0)
      }
    }
    for (table, names) in Self.others {
      columns += names.map { Column(table: "strandline_\(table)", name: $0) }
    }
    all = columns
  }

  private static let others: [(String, [String])] = [
    ("log", ["stamp"]), ("parked", ["life", "stamp"]),
    ("unknown_record", ["born", "died", "deleted"]), ("unknown_value", ["stamp"]),
    ("conflict", ["life", "stamp"]), ("held_delete", ["life", "stamp"]),
  ]

  /// Finds the greatest stamp that is not beyond a bound.
  func greatest(upTo bound: Stamp) -> String {
    let each = all.map {
      "SELECT max(\($0.name)) AS stamp FROM \($0.table) WHERE typeof(\($0.name)) = 'integer' "
        + "AND \($0.name) <= \(bound.rawValue)"
    }
    // A compound SELECT has at most 500 terms.
    let groups = stride(from: 0, to: each.count, by: 400).map {
      "SELECT max(stamp) AS stamp FROM ("
        + each[$0..<min($0 + 400, each.count)].joined(separator: " UNION ALL ") + ")"
    }
    return "SELECT coalesce(max(stamp), 0) FROM (\(groups.joined(separator: " UNION ALL ")))"
  }
}
