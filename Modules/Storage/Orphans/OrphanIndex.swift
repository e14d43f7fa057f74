package import StrandlineModels

/// The references to records that are not here, kept so that counting them costs what changed and
/// not what the store holds.
///
/// `strandline_orphan` holds those that were found up to a place in the log. What stands in the log
/// beyond it is looked at when somebody asks, and put into the table by imports. So no writer pays
/// for it, and other SQLite clients, who may leave any reference behind, need not know of it.
struct OrphanIndex {
  let connection: Connection
  let catalog: Catalog

  /// One to-one relationship: who refers, and to what.
  private struct Edge {
    let child: EntityLayout
    let column: EntityLayout.Column
    let parent: EntityLayout

    /// The rows of the child, as `e`, that refer to nothing that is here.
    var isOrphan: String {
      "e.\(column.name) IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \(parent.table) AS p WHERE p.id = e.\(column.name))"
    }
  }

  private static let examinedKey = "orphansExamined"
  /// Beyond this many log rows it is cheaper for all to bring the table up to date first.
  static let settleThreshold: Int64 = 1000

  private var edges: [Edge] {
    catalog.layouts.flatMap { child in
      child.columns.compactMap { column in
        guard let name = column.property.destination,
          let parent = catalog.layouts.first(where: { $0.entity.name == name })
        else { return nil }
        return Edge(child: child, column: column, parent: parent)
      }
    }
  }

  /// The place in the log up to which the table is true; nil where it never was filled.
  private func examined() throws -> Int64? {
    try connection.first(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(Self.examinedKey)]
    ) { $0.integer(0) }
  }

  private func head() throws -> Int64 {
    try connection.integer("SELECT max(sequence) FROM strandline_log")
  }

  /// The records that may be orphans or have been, since a place in the log: those that changed,
  /// and those that refer to a record that came or went.
  private static func candidates(_ edge: Edge) -> String {
    """
    candidate(id) AS (
      SELECT record FROM strandline_log WHERE sequence > ?1 AND entity = \(edge.child.number)
      UNION
      SELECT e.id FROM \(edge.child.table) AS e WHERE e.\(edge.column.name) IN (
        SELECT record FROM strandline_log WHERE sequence > ?1 AND entity = \(edge.parent.number)
          AND kind IN (\(LogKind.insert.rawValue), \(LogKind.delete.rawValue))))
    """
  }

  private static func place(_ edge: Edge) -> [Value] {
    [.integer(edge.child.number), .text(edge.column.property.key)]
  }

  // MARK: Reading

  /// The orphans, by entity and property.
  func orphans(limit: Int) throws -> [Orphan] {
    let examined = try examined()
    var found: [Orphan] = []
    for edge in edges where found.count < limit {
      let (condition, arguments) = Self.membership(edge, examined)
      found += try connection.map(
        """
        \(condition.prefix) SELECT e.id, e.\(edge.column.name) FROM \(edge.child.table) AS e
        WHERE \(condition.test) AND \(edge.isOrphan) ORDER BY e.id LIMIT \(limit - found.count)
        """, arguments
      ) { row in
        Orphan(
          entity: edge.child.entity.name,
          id: try ReadTransaction.recordID(row.value(0), in: edge.child),
          property: edge.column.property.name, destination: edge.parent.entity.name,
          missing: row.value(1))
      }
    }
    return found
  }

  func count() throws -> Int {
    let examined = try examined()
    return try edges.reduce(0) { total, edge in
      let (condition, arguments) = Self.membership(edge, examined)
      return total
        + Int(
          try connection.integer(
            """
            \(condition.prefix) SELECT count(*) FROM \(edge.child.table) AS e
            WHERE \(condition.test) AND \(edge.isOrphan)
            """, arguments))
    }
  }

  /// What limits the rows that are looked at: those in the table, and those that changed since.
  private static func membership(
    _ edge: Edge, _ examined: Int64?
  ) -> (condition: (prefix: String, test: String), arguments: [Value]) {
    guard let examined else { return (("", "true"), []) }
    let prefix = """
      WITH \(candidates(edge)), listed(id) AS (
        SELECT record FROM strandline_orphan WHERE entity = ?2 AND property = ?3
        UNION SELECT id FROM candidate)
      """
    return ((prefix, "e.id IN (SELECT id FROM listed)"), [.integer(examined)] + place(edge))
  }

  // MARK: Writing

  /// Brings the table up to the head of the log, if that is far ahead.
  func settleIfWorthwhile() throws {
    guard try head() - (examined() ?? 0) >= Self.settleThreshold else { return }
    try settle()
  }

  /// Brings the table up to the head of the log.
  func settle() throws {
    let head = try head()
    guard let examined = try examined() else { return try fill(upTo: head) }
    guard head > examined else { return }
    let touched = Set(
      try connection.map(
        "SELECT DISTINCT entity FROM strandline_log WHERE sequence > ?", [.integer(examined)]
      ) { $0.integer(0) })
    for edge in edges
    where touched.contains(edge.child.number) || touched.contains(edge.parent.number) {
      try update(edge, since: examined)
    }
    try save(head)
  }

  /// Brings the table up to the head of the log, before rows of that go; a table that was never
  /// filled needs none of them.
  func settleIfFilled() throws {
    if try examined() != nil { try settle() }
  }

  /// Fills the table anew, as after a change of the model.
  func refill() throws {
    try fill(upTo: head())
  }

  private func fill(upTo head: Int64) throws {
    try connection.run("DELETE FROM strandline_orphan")
    for edge in edges {
      try connection.run(
        """
        INSERT INTO strandline_orphan(entity, property, record)
          SELECT ?1, ?2, e.id FROM \(edge.child.table) AS e WHERE \(edge.isOrphan)
        """, Self.place(edge))
    }
    try save(head)
  }

  private func update(_ edge: Edge, since examined: Int64) throws {
    let arguments = [.integer(examined)] + Self.place(edge)
    try connection.run(
      """
      WITH \(Self.candidates(edge))
      DELETE FROM strandline_orphan WHERE entity = ?2 AND property = ?3
        AND record IN (SELECT id FROM candidate)
      """, arguments)
    try connection.run(
      """
      WITH \(Self.candidates(edge))
      INSERT INTO strandline_orphan(entity, property, record)
        SELECT ?2, ?3, e.id FROM \(edge.child.table) AS e
        WHERE e.id IN (SELECT id FROM candidate) AND \(edge.isOrphan)
      """, arguments)
  }

  private func save(_ head: Int64) throws {
    try connection.run(
      "INSERT INTO strandline_meta(key, value) VALUES (?, ?) "
        + "ON CONFLICT DO UPDATE SET value = excluded.value",
      [.text(Self.examinedKey), .integer(head)])
  }
}

/// A reference to a record that is not here: it has not arrived yet, or is gone.
package struct Orphan: Hashable, Sendable {
  package let entity: String
  package let id: RecordID
  package let property: String
  package let destination: String
  /// What the property holds, which other SQLite clients may have made something else than an id.
  package let missing: Value
}

extension ReadTransaction {
  /// References to records that are not here; each is normal until its record arrives.
  package func orphanCount() throws -> Int {
    try OrphanIndex(connection: connection, catalog: catalog).count()
  }

  /// Brings the list of orphans up to the head of the log, before rows of that go.
  package func settleOrphans() throws {
    try OrphanIndex(connection: connection, catalog: catalog).settleIfFilled()
  }

  /// The references to records that are not here.
  package func orphans(limit: Int) throws -> [Orphan] {
    try OrphanIndex(connection: connection, catalog: catalog).orphans(limit: limit)
  }
}
