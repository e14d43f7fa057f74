import StrandlineModels

extension ReadTransaction {
  /// What holds in this store that must not, by the tables alone; empty for a sound store.
  ///
  /// - Parameters:
  ///   - sequence: Log rows and transactions up to this one are taken as checked already.
  ///   - limit: How many findings of one kind are told; damage may be everywhere.
  /// - Returns: What was found, in the order of the rules.
  /// - Throws: Errors of SQLite.
  package func brokenInvariants(
    afterLog sequence: Int64 = 0, limit: Int = 20
  ) throws -> [BrokenInvariant] {
    let check = InvariantCheck(connection: connection, catalog: catalog, limit: limit)
    var broken = try catalog.layouts.flatMap { try check.lives($0) + check.forms($0) }
    broken += try check.clock(after: sequence)
    broken += try check.transactions(after: sequence)
    broken += try check.log(after: sequence)
    return try broken + check.carried()
  }
}

/// The rules that the tables of a store keep, each as a query for what breaks it.
struct InvariantCheck {
  let connection: Connection
  let catalog: Catalog
  let limit: Int

  private func find(
    _ rule: BrokenInvariant.Rule, _ sql: String, _ arguments: [Value] = [],
    _ message: (Row) -> String
  ) throws -> [BrokenInvariant] {
    try connection.map("\(sql) LIMIT \(limit)", arguments) { BrokenInvariant(rule, message($0)) }
  }

  private static func id(_ row: Row, _ column: Int = 0) -> String {
    RecordID(row.value(column))?.description ?? "that is no id"
  }

  // MARK: Records

  func lives(_ layout: EntityLayout) throws -> [BrokenInvariant] {
    let entity = layout.entity.name
    return try find(
      .lifeAndRow,
      "SELECT id FROM \(layout.shadow) AS s WHERE born > died "
        + "AND NOT EXISTS (SELECT 1 FROM \(layout.table) AS e WHERE e.id = s.id)"
    ) { "\(entity) \(Self.id($0)) lives and has no row." }
      + find(
        .lifeAndRow,
        "SELECT id FROM \(layout.table) AS e WHERE NOT EXISTS "
          + "(SELECT 1 FROM \(layout.shadow) AS s WHERE s.id = e.id AND s.born > s.died)"
      ) { "\(entity) \(Self.id($0)) has a row and does not live." }
  }

  /// A stamp that equals the birth stands as null, and one that was never written as 0.
  func forms(_ layout: EntityLayout) throws -> [BrokenInvariant] {
    let entity = layout.entity.name
    let stamps = layout.columns.map { column in
      " OR (born > died AND (\(column.stampColumn) = born OR \(column.stampColumn) < 0))"
        + " OR typeof(\(column.stampColumn)) NOT IN ('integer', 'null')"
    }.joined()
    return try find(
      .shadowForm,
      """
      SELECT id FROM \(layout.shadow)
      WHERE typeof(id) NOT IN ('blob', 'text') OR typeof(born) <> 'integer'
        OR typeof(died) <> 'integer' OR typeof(deleted) <> 'integer'
        OR born < 0 OR died < 0 OR deleted < 0 OR (born = 0 AND died = 0)
        OR (died = 0) <> (deleted = 0)\(stamps)
      """
    ) { "\(entity) \(Self.id($0)) has stamps that no writer gives." }
      + find(
        .clock,
        "SELECT id FROM \(layout.shadow), strandline_clock WHERE "
          + "\(greatest(layout)) > max(seen, \(Self.unsealedStamp))"
      ) { "\(entity) \(Self.id($0)) has a stamp that the clock has not seen." }
  }

  /// The greatest stamp of a shadow row; SQLite's functions take 127 arguments and no more.
  private func greatest(_ layout: EntityLayout) -> String {
    var terms =
      ["born", "died", "deleted"] + layout.columns.map { "coalesce(\($0.stampColumn), 0)" }
    while terms.count > 1 {
      terms = stride(from: 0, to: terms.count, by: 100).map {
        "max(0, \(terms[$0..<min($0 + 100, terms.count)].joined(separator: ", ")))"
      }
    }
    return terms[0]
  }

  /// The greatest stamp that another client wrote since the last transaction of Strandline.
  private static let unsealedStamp = """
    (SELECT coalesce(max(stamp), 0) FROM strandline_log WHERE sequence >
      (SELECT coalesce(max(last), 0) FROM strandline_transaction))
    """

  // MARK: History

  func clock(after sequence: Int64) throws -> [BrokenInvariant] {
    try find(
      .ownStamp, "SELECT own, seeding FROM strandline_clock WHERE own <> 0 OR seeding <> 0"
    ) { _ in "The clock's row keeps the stamp of a transaction that has ended." }
      + find(
        .clock,
        """
        SELECT l.sequence FROM strandline_log AS l, strandline_clock
        WHERE l.sequence > ? AND l.stamp > seen
          AND l.sequence <= (SELECT coalesce(max(last), 0) FROM strandline_transaction)
        """, [.integer(sequence)]
      ) { "The log row \($0.integer(0)) has a stamp that the clock has not seen." }
  }

  func transactions(after sequence: Int64) throws -> [BrokenInvariant] {
    try find(
      .transactions,
      """
      SELECT t.id FROM strandline_transaction AS t WHERE t.last > ?1
        AND (t.first > t.last OR t.first <= coalesce((SELECT p.last
          FROM strandline_transaction AS p WHERE p.id < t.id ORDER BY p.id DESC LIMIT 1), 0))
      """, [.integer(sequence)]
    ) { "The transaction \($0.integer(0)) overlaps the one before it." }
      + find(
        .transactions,
        """
        SELECT l.sequence FROM strandline_log AS l WHERE l.sequence > ?1
          AND l.sequence <= (SELECT coalesce(max(last), 0) FROM strandline_transaction)
          AND NOT EXISTS (SELECT 1 FROM strandline_transaction AS t
            WHERE t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
              AND t.first <= l.sequence)
        """, [.integer(sequence)]
      ) { "The log row \($0.integer(0)) is in no transaction." }
      + find(
        .transactions,
        """
        SELECT max(last) FROM strandline_transaction HAVING max(last) > coalesce(
          (SELECT seq FROM sqlite_sequence WHERE name = 'strandline_log'), 0)
        """
      ) { "The transaction up to \($0.integer(0)) is ahead of the log." }
  }

  func log(after sequence: Int64) throws -> [BrokenInvariant] {
    try find(
      .logForm,
      """
      SELECT sequence FROM strandline_log WHERE sequence > ?1 AND (kind NOT BETWEEN 1 AND 5
        OR stamp <= 0 OR typeof(record) NOT IN ('blob', 'text') OR bank < 0
        OR (kind = \(LogKind.update.rawValue)) <> (properties <> 0)
        OR entity NOT IN (SELECT number FROM strandline_entity))
      """, [.integer(sequence)]
    ) { "The log row \($0.integer(0)) says what no writer does." }
  }

  // MARK: What the model does not know, and what waits

  func carried() throws -> [BrokenInvariant] {
    var broken = try find(
      .parked, "SELECT record FROM strandline_parked WHERE life <= 0 OR stamp <= 0"
    ) { "What is parked of \(Self.id($0)) waits for no life." }
    broken += try find(
      .unknownFields,
      """
      SELECT record FROM strandline_unknown_value AS u
      WHERE stamp <= 0 OR entity NOT IN (SELECT number FROM strandline_entity)
      """
    ) { "A carried field of \(Self.id($0)) has no stamp or no entity." }
    for layout in catalog.layouts {
      broken += try find(
        .unknownFields,
        """
        SELECT record FROM strandline_unknown_value AS u WHERE entity = ? AND NOT EXISTS
          (SELECT 1 FROM \(layout.shadow) AS s WHERE s.id = u.record AND s.born > s.died)
        """, [.integer(layout.number)]
      ) { "\(layout.entity.name) \(Self.id($0)) does not live and has a carried field." }
    }
    return broken
  }
}
