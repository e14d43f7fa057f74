import StrandlineModels

/// Brings the tables from one model to another, inside the transaction that opens the store.
///
/// Properties and entities are matched by their permanent keys, so that a renamed one keeps its
/// values, its stamps and its place on the wire. What the new model does not have is carried
/// like anything else that a model does not know, and what it has again takes its values back.
/// Indexes, views and triggers of the person's own are kept; see ``OwnObjects``.
struct Migration {
  let connection: Connection
  let previous: Schema?
  let catalog: Catalog

  /// An entity that both models have.
  struct Pair {
    let old: Entity
    let layout: EntityLayout

    func property(of column: EntityLayout.Column) -> Property? {
      old.properties.first { $0.key == column.property.key }
    }

    var added: [EntityLayout.Column] { layout.columns.filter { property(of: $0) == nil } }
    var removed: [Property] { old.properties.filter { layout.index(ofKey: $0.key) == nil } }
  }

  func run() throws {
    // Triggers name tables and columns that may be renamed; they are made anew at the end.
    try dropOwnTriggersAndIndexes()
    // Values only move; triggers of the person's own are not to act on that.
    connection.setTriggers(false)
    let pairs = catalog.layouts.compactMap { layout in
      previous?.entity(key: layout.entity.key).map { Pair(old: $0, layout: layout) }
    }
    let gone = previous?.entities.filter { catalog.layout(key: $0.key) == nil } ?? []
    let new = catalog.layouts.filter { previous?.entity(key: $0.entity.key) == nil }
    let own = try OwnObjects(connection: connection)

    try carryAll(pairs, gone)
    try refuseTakenNames(pairs, new)
    let rebuilt = pairs.filter { pair in
      pair.old.properties.contains { isDefinedAnew($0, in: pair.layout) }
    }
    let isCut = !gone.isEmpty || !rebuilt.isEmpty || pairs.contains { !$0.removed.isEmpty }
    try rename(pairs, own: own)
    if isCut { try own.takeAway() }
    try drop(pairs, gone)
    for pair in rebuilt { try rebuild(pair) }
    for layout in new { try create(layout) }
    for pair in pairs { try complete(pair) }
    try own.putBack(for: catalog.layouts)
    for layout in catalog.layouts {
      for sql in TableSQL.indexes(layout) + TriggerSQL.all(layout) { try connection.execute(sql) }
    }
    try OrphanIndex(connection: connection, catalog: catalog).refill()
  }

  private func dropOwnTriggersAndIndexes() throws {
    for (type, pattern) in [("trigger", "strandline\\_%"), ("index", "strandline\\_index\\_%")] {
      let names = try connection.map(
        "SELECT name FROM sqlite_schema WHERE type = ? AND name LIKE ? ESCAPE '\\'",
        [.text(type), .text(pattern)]
      ) { $0.text(0) }
      for name in names { try connection.execute("DROP \(type) \(name.quoted)") }
    }
  }

  /// The values of what the model no longer has, before any column is touched.
  private func carryAll(_ pairs: [Pair], _ gone: [Entity]) throws {
    let carried = CarriedValues(connection: connection)
    for pair in pairs {
      for property in pair.removed {
        try carried.take(property, of: pair.layout, table: pair.old.name)
      }
      for property in pair.old.properties where isDefinedAnew(property, in: pair.layout) {
        try carried.takeUnfit(property, of: pair.layout, table: pair.old.name)
      }
    }
    for old in gone {
      let layout = try Catalog.make(
        for: Schema(entities: [old]), on: connection
      ).layout(named: old.name)
      for property in old.properties {
        try carried.take(property, of: layout, table: old.name)
      }
      try carried.takeRecords(of: layout)
    }
  }

  private func drop(_ pairs: [Pair], _ gone: [Entity]) throws {
    for pair in pairs {
      for property in pair.removed {
        let column = MovingNames.column(property, of: pair)
        try connection.execute(
          """
          ALTER TABLE \(pair.layout.table) DROP COLUMN \(column.quoted);
          ALTER TABLE \(pair.layout.shadow) DROP COLUMN \("stamp_\(property.key)".quoted);
          """)
      }
    }
    for old in gone {
      try connection.execute(
        "DROP TABLE \(MovingNames.table(old, in: catalog).quoted); "
          + "DROP TABLE \("strandline_shadow_\(old.key)".quoted);")
    }
  }

  private func create(_ layout: EntityLayout) throws {
    try connection.execute(TableSQL.table(layout) + TableSQL.shadow(layout))
    try CarriedValues(connection: connection).giveRecords(to: layout)
  }

  private func complete(_ pair: Pair) throws {
    let carried = CarriedValues(connection: connection)
    for column in pair.added {
      // An added default is no edit: its stamp is 0, unset.
      try connection.execute(
        """
        ALTER TABLE \(pair.layout.table) ADD COLUMN \(TableSQL.definition(of: column.property));
        ALTER TABLE \(pair.layout.shadow) ADD COLUMN \(column.stampColumn) INTEGER DEFAULT 0;
        """)
      try carried.give(column, of: pair.layout)
    }
    for old in pair.old.properties where isDefinedAnew(old, in: pair.layout) {
      guard let index = pair.layout.index(ofKey: old.key) else { continue }
      try carried.give(pair.layout.columns[index], of: pair.layout)
    }
    if pair.old.configuration == .local && pair.layout.entity.configuration == .synced {
      try offerAll(pair.layout)
    }
  }

  /// Records that were kept on this device become pending when their entity is synced.
  private func offerAll(_ layout: EntityLayout) throws {
    try connection.run(
      """
      INSERT INTO strandline_log(entity, record, kind, stamp)
        SELECT ?, id, ?, born FROM \(layout.shadow) WHERE born > died
      """, [.integer(layout.number), .integer(LogKind.insert.rawValue)])
  }
}
