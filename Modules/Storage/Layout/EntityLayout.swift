package import StrandlineModels

/// Where an entity's records, stamps and log rows stand, with the SQL that never changes.
package struct EntityLayout: Sendable {
  /// One column and its place in the log's masks.
  package struct Column: Sendable {
    package let property: Property
    /// The property's permanent number in the catalog.
    package let number: Int

    /// The quoted name of the property's column.
    package let name: String
    /// The quoted name of the column that holds its stamp in the shadow table.
    package let stampColumn: String

    package init(property: Property, number: Int) {
      self.property = property
      self.number = number
      name = property.name.quoted
      stampColumn = "stamp_\(property.key)".quoted
    }

    /// The log has one row for each bank of this many properties that a change touched.
    package static let bankSize = 62

    package var bank: Int { number / Self.bankSize }
    package var bit: Int64 { 1 << Int64(number % Self.bankSize) }
  }

  package let entity: Entity
  package let number: Int64
  package let columns: [Column]
  /// The quoted name of the records' table.
  package let table: String
  /// The quoted name of the shadow table.
  package let shadow: String
  /// What imports and exports run once for each record.
  let statements: RecordStatements
  private let byKey: [String: Int]

  package init(entity: Entity, number: Int64, columns: [Column]) {
    self.entity = entity
    self.number = number
    self.columns = columns
    table = entity.name.quoted
    shadow = "strandline_shadow_\(entity.key)".quoted
    statements = RecordStatements(table: table, shadow: shadow, columns: columns)
    byKey = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.property.key, $0) })
  }

  package func index(ofKey key: String) -> Int? { byKey[key] }

  package func column(named name: String) -> Column? {
    columns.first { $0.property.name == name }
  }

  /// The masks that stand for some properties, by bank.
  package func masks(of keys: some Sequence<String>) -> [Int: Int64] {
    var masks: [Int: Int64] = [:]
    for key in keys {
      guard let index = byKey[key] else { continue }
      masks[columns[index].bank, default: 0] |= columns[index].bit
    }
    return masks
  }

  /// The properties that a mask of a bank stands for.
  package func keys(in mask: Int64, bank: Int) -> [String] {
    columns.filter { $0.bank == bank && $0.bit & mask != 0 }.map(\.property.key)
  }

  /// Whether the id is made from properties, so that all devices share its first life.
  package var isIdentityKeyed: Bool { !entity.identity.isEmpty }
}
