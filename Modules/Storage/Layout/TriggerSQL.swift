import StrandlineModels

/// The permanent triggers that record what any SQLite client does to an entity.
///
/// They are plain SQL, so that the `sqlite3` shell and a Python script fire them too. What they
/// mind of SQLite, each measured on 3.40:
///
/// - An outer `INSERT OR REPLACE` takes the place of any `OR …` inside a trigger, so the shadow
///   row is written by `ON CONFLICT … DO UPDATE`, which stands.
/// - A `BEFORE INSERT` fires for rows that `OR IGNORE` then skips, so all are `AFTER`.
/// - `IS NOT` compares by the column's collation and takes 1 and 1.0 for equal, so bytes and
///   types are compared.
enum TriggerSQL {
  /// The stamp of a change: that of the open transaction of a Strandline process, or else the
  /// time, but always after everything that was seen.
  private static let stamp = """
    (SELECT iif(own > 0, own, max((CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) \
    << 16) + salt, seen + 1)) FROM strandline_clock)
    """

  /// 1 for another SQLite client, whose every writing of a property needs a stamp of its own;
  /// 0 for a Strandline process, whose transaction has one stamp.
  private static let step = "(SELECT own = 0 FROM strandline_clock)"

  static func all(_ layout: EntityLayout) -> [String] {
    var triggers = [insert(layout), delete(layout), fixedID(layout)]
    let banks = Set(layout.columns.map(\.bank)).sorted()
    for bank in banks { triggers.append(update(layout, bank: bank)) }
    if let check = derivedID(layout) { triggers.append(check) }
    if let fixed = fixedProperties(layout) { triggers.append(fixed) }
    if let copy = PreservedSQL.beforeInsert(layout, named: name(layout, "copy")) {
      triggers.append(copy)
    }
    return triggers
  }

  static func names(_ layout: EntityLayout) -> [String] {
    let banks = Set(layout.columns.map(\.bank)).sorted()
    return ["insert", "delete", "id", "derived", "fixed", "copy"].map { name(layout, $0) }
      + banks.map { name(layout, "update\($0)") }
  }

  private static func name(_ layout: EntityLayout, _ what: String) -> String {
    "strandline_\(what)_\(layout.entity.key)".quoted
  }

  // MARK: Insert

  /// A fresh id begins a life; a dead one begins another; a living one was replaced by
  /// `INSERT OR REPLACE` without recursive triggers, which is a writing of all columns.
  private static func insert(_ layout: EntityLayout) -> String {
    let columns = layout.columns
    let stamps = columns.map { ", " + $0.stampColumn }.joined()
    let born = layout.isIdentityKeyed ? "\(Stamp.firstLife.rawValue)" : stamp
    let fresh = columns.map { ", " + freshStamp($0, in: layout) }.joined()
    let replaced = columns.map {
      "\($0.stampColumn) = iif(born > died, nullif(max(\(stamp), coalesce(\($0.stampColumn), born)"
        + " + \(step)), born), NULL), "
    }.joined()
    return """
      CREATE TRIGGER \(name(layout, "insert")) AFTER INSERT ON \(layout.table) BEGIN
        \(insertLog(layout))
        INSERT INTO \(layout.shadow)(id, born, died, deleted\(stamps))
          SELECT new.id, \(born), 0, 0\(fresh) WHERE true
          ON CONFLICT(id) DO UPDATE SET \(replaced)
            born = iif(born > died, born, max(\(stamp), born + 1, died + 1));
      END;
      """
  }

  /// In a first life that all devices share, what was written explicitly has a stamp of its own;
  /// seeds and defaults have the life's, which everything beats.
  private static func freshStamp(
    _ column: EntityLayout.Column, in layout: EntityLayout
  ) -> String {
    guard layout.isIdentityKeyed else { return "NULL" }
    let fallback = TableSQL.literal(column.property.defaultValue)
    return "iif((SELECT seeding FROM strandline_clock) OR new.\(column.name) IS \(fallback), "
      + "NULL, \(stamp))"
  }

  private static func insertLog(_ layout: EntityLayout) -> String {
    let banks = Dictionary(grouping: layout.columns, by: \.bank)
    let first = banks[0, default: []]
    let from = "FROM (SELECT 1) LEFT JOIN \(layout.shadow) AS s ON s.id = new.id"
    var sql = """
      INSERT INTO strandline_log(entity, record, kind, properties, stamp)
          SELECT \(layout.number), new.id, iif(s.born > s.died, \(LogKind.update.rawValue), \
      \(LogKind.insert.rawValue)), iif(s.born > s.died, \(first.reduce(0) { $0 | $1.bit }), 0),
            CASE WHEN s.id IS NULL THEN \(stamp)
            WHEN s.born > s.died THEN \(replacedStamp(first))
            ELSE max(\(stamp), s.born + 1, s.died + 1) END \(from);
      """ + PreservedSQL.afterReplace(layout, bank: 0)
    for (bank, columns) in banks.sorted(by: { $0.key < $1.key }) where bank > 0 {
      sql += """

            INSERT INTO strandline_log(entity, record, kind, properties, bank, stamp)
              SELECT \(layout.number), new.id, \(LogKind.update.rawValue),
                \(columns.reduce(0) { $0 | $1.bit }), \(bank), \(replacedStamp(columns))
              \(from) WHERE s.born > s.died;
        """ + PreservedSQL.afterReplace(layout, bank: bank)
    }
    return sql
  }

  /// The greatest stamp that a replaced row's columns of one bank get.
  ///
  /// SQLite's functions take 127 arguments, which is more than a bank has columns.
  private static func replacedStamp(_ columns: [EntityLayout.Column]) -> String {
    let next = columns.map { ", coalesce(s.\($0.stampColumn), s.born) + \(step)" }.joined()
    return "max(\(stamp), 0\(next))"
  }

  // MARK: Update

  /// One trigger a bank of properties; a statement that changes nothing is not recorded.
  private static func update(_ layout: EntityLayout, bank: Int) -> String {
    let columns = layout.columns.filter { $0.bank == bank }
    let any = columns.map(changed).joined(separator: " OR ")
    let sets = columns.map {
      "\($0.stampColumn) = iif(\(changed($0)), nullif(max(\(stamp), "
        + "coalesce(\($0.stampColumn), born) + \(step)), born), \($0.stampColumn))"
    }.joined(separator: ",\n      ")
    let mask = columns.map { "iif(\(changed($0)), \($0.bit), 0)" }.joined(separator: " + ")
    let greatest = columns.map {
      ", iif(\(changed($0)), coalesce(\($0.stampColumn), born), 0)"
    }.joined()
    return """
      CREATE TRIGGER \(name(layout, "update\(bank)")) AFTER UPDATE ON \(layout.table)
      WHEN \(any) BEGIN
        UPDATE \(layout.shadow) SET \(sets) WHERE id = new.id;
        INSERT INTO strandline_log(entity, record, kind, properties, bank, stamp)
          SELECT \(layout.number), new.id, \(LogKind.update.rawValue), \(mask), \(bank),
            max(0\(greatest)) FROM \(layout.shadow) WHERE id = new.id;\(PreservedSQL.afterUpdate(layout, bank: bank, changed: changed))
      END;
      """
  }

  private static func changed(_ column: EntityLayout.Column) -> String {
    let name = column.name
    return "(old.\(name) COLLATE BINARY IS NOT new.\(name) OR "
      + "typeof(old.\(name)) <> typeof(new.\(name)))"
  }

  // MARK: Delete

  /// A delete ends the life that it saw and needs no clock for that.
  ///
  /// Its own stamp is for history. Fields that the model does not know go with the life.
  private static func delete(_ layout: EntityLayout) -> String {
    """
    CREATE TRIGGER \(name(layout, "delete")) AFTER DELETE ON \(layout.table) BEGIN
      INSERT INTO strandline_log(entity, record, kind, stamp)
        SELECT \(layout.number), old.id, \(LogKind.delete.rawValue), max(\(stamp), born)
        FROM \(layout.shadow) WHERE id = old.id AND born > died;\(PreservedSQL.afterDelete(layout))
      UPDATE \(layout.shadow) SET deleted = max(\(stamp), born), died = born
        WHERE id = old.id AND born > died;
      DELETE FROM strandline_unknown_value WHERE record = old.id AND entity = \(layout.number);
    END;
    """
  }

  // MARK: Refusals

  private static func fixedID(_ layout: EntityLayout) -> String {
    """
    CREATE TRIGGER \(name(layout, "id")) AFTER UPDATE OF id ON \(layout.table)
    WHEN old.id IS NOT new.id OR typeof(old.id) <> typeof(new.id) BEGIN
      SELECT raise(ABORT, 'the id of a record cannot be changed: insert a new record and delete this one');
    END;
    """
  }

  /// Ids that are made from values are checked, since plain SQL can write them too.
  private static func derivedID(_ layout: EntityLayout) -> String? {
    let columns = Entity.linkColumns
    let expected: String
    let words: String
    if layout.entity.isLink {
      expected = "CAST(new.\(columns.source) || new.\(columns.target) AS BLOB)"
      words = "the id of a link is CAST(source || target AS BLOB)"
    } else if layout.isIdentityKeyed {
      let names = layout.entity.identity
      expected = names.map { identityText($0, isJoined: names.count > 1) }
        .joined(separator: " || '|' || ")
      words =
        "the id of this record is the text of its identity: "
        + names.joined(separator: " || ''|'' || ")
        + (names.count > 1 ? ", with a backslash before each bar and backslash in a text" : "")
    } else {
      return nil
    }
    return """
      CREATE TRIGGER \(name(layout, "derived")) AFTER INSERT ON \(layout.table)
      WHEN new.id IS NOT \(expected) BEGIN
        SELECT raise(ABORT, '\(words)');
      END;
      """
  }

  /// Bytes are hexadecimal digits, as in `Entity.identityText`; this counts for the ids of
  /// references too, and for what another client writes into a column of another type.
  private static func identityText(_ name: String, isJoined: Bool) -> String {
    let column = "new.\(name.quoted)"
    let text = "coalesce(CAST(\(column) AS TEXT), '')"
    let escaped = "replace(replace(\(text), '\\', '\\\\'), '|', '\\|')"
    return "iif(typeof(\(column)) = 'blob', lower(hex(\(column))), \(isJoined ? escaped : text))"
  }

  /// What an id is made from cannot be edited.
  private static func fixedProperties(_ layout: EntityLayout) -> String? {
    let names =
      layout.entity.isLink
      ? [Entity.linkColumns.source, Entity.linkColumns.target] : layout.entity.identity
    let columns = names.compactMap { layout.column(named: $0) }
    guard !columns.isEmpty else { return nil }
    let list = names.joined(separator: ", ")
    return """
      CREATE TRIGGER \(name(layout, "fixed")) AFTER UPDATE ON \(layout.table)
      WHEN \(columns.map(changed).joined(separator: " OR ")) BEGIN
        SELECT raise(ABORT, '\(list) cannot be changed, the id is made from it: insert a new record and delete this one');
      END;
      """
  }
}
