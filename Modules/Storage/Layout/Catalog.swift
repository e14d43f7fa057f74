package import StrandlineModels

/// The layouts of all entities of a schema, with the permanent numbers of a store.
package struct Catalog: Sendable {
  package let schema: Schema
  package let layouts: [EntityLayout]
  private let byName: [String: Int]
  private let byKey: [String: Int]
  private let byNumber: [Int64: Int]

  package init(schema: Schema, layouts: [EntityLayout]) {
    self.schema = schema
    self.layouts = layouts
    let places = layouts.enumerated()
    byName = Dictionary(uniqueKeysWithValues: places.map { ($1.entity.name, $0) })
    byKey = Dictionary(uniqueKeysWithValues: places.map { ($1.entity.key, $0) })
    byNumber = Dictionary(uniqueKeysWithValues: places.map { ($1.number, $0) })
  }

  package func layout(named name: String) throws(StorageError) -> EntityLayout {
    guard let index = byName[name] else { throw .unknownEntity(name) }
    return layouts[index]
  }

  package func layout(key: String) -> EntityLayout? { byKey[key].map { layouts[$0] } }
  package func layout(number: Int64) -> EntityLayout? { byNumber[number].map { layouts[$0] } }
}

extension Catalog {
  /// Reads the numbers of a schema's entities and properties, and gives new ones their own.
  static func make(for schema: Schema, on connection: Connection) throws -> Catalog {
    let layouts = try schema.entities.map { entity in
      let number = try entityNumber(of: entity.key, on: connection)
      // Kept for the day on which the model has the entity no longer: it stays local.
      try connection.run(
        "UPDATE strandline_entity SET synced = ?1 WHERE number = ?2 AND synced <> ?1",
        [.integer(entity.configuration == .synced ? 1 : 0), .integer(number)])
      let columns = try entity.properties.map { property in
        EntityLayout.Column(
          property: property,
          number: try propertyNumber(of: property.key, in: number, on: connection))
      }
      return EntityLayout(entity: entity, number: number, columns: columns)
    }
    return Catalog(schema: schema, layouts: layouts)
  }

  /// The permanent number of an entity, known to the model or not.
  static func entityNumber(of key: String, on connection: Connection) throws -> Int64 {
    try connection.run(
      "INSERT INTO strandline_entity(key) SELECT ?1 WHERE NOT EXISTS "
        + "(SELECT 1 FROM strandline_entity WHERE key = ?1)", [.text(key)])
    return try connection.integer(
      "SELECT number FROM strandline_entity WHERE key = ?", [.text(key)])
  }

  private static func propertyNumber(
    of key: String, in entity: Int64, on connection: Connection
  ) throws -> Int {
    try connection.run(
      """
      INSERT INTO strandline_property(entity, number, key)
        SELECT ?1, (SELECT count(*) FROM strandline_property WHERE entity = ?1), ?2
        WHERE NOT EXISTS (SELECT 1 FROM strandline_property WHERE entity = ?1 AND key = ?2)
      """, [.integer(entity), .text(key)])
    return Int(
      try connection.integer(
        "SELECT number FROM strandline_property WHERE entity = ? AND key = ?",
        [.integer(entity), .text(key)]))
  }
}

extension Catalog {
  /// Reads the numbers without giving any, for a store that cannot be written.
  static func read(for schema: Schema, on connection: Connection) throws -> Catalog {
    let layouts = try schema.entities.map { entity in
      let number = try connection.integer(
        "SELECT number FROM strandline_entity WHERE key = ?", [.text(entity.key)])
      let columns = try entity.properties.map { property in
        EntityLayout.Column(
          property: property,
          number: Int(
            try connection.integer(
              "SELECT number FROM strandline_property WHERE entity = ? AND key = ?",
              [.integer(number), .text(property.key)])))
      }
      return EntityLayout(entity: entity, number: number, columns: columns)
    }
    return Catalog(schema: schema, layouts: layouts)
  }
}
