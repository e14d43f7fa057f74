/// What one set of entities and properties has that another lacks.
struct SchemaDifference: Hashable, Sendable {
  /// The properties that are missing, by entity; empty ones for an entity without properties.
  let added: [String: Set<String>]
  /// The entities that are missing as a whole.
  let newEntities: Set<String>

  /// Compares; nothing is ever taken away.
  init(from known: [String: Set<String>], to wanted: [String: Set<String>]) {
    var added: [String: Set<String>] = [:]
    for (entity, properties) in wanted {
      let missing = properties.subtracting(known[entity] ?? [])
      if known[entity] == nil || !missing.isEmpty { added[entity] = missing }
    }
    self.added = added
    newEntities = Set(added.keys.filter { known[$0] == nil })
  }

  /// Whether there is none.
  var isEmpty: Bool { added.isEmpty }

  /// A line for each entity and property that is added.
  var lines: [String] {
    added.sorted { $0.key < $1.key }.flatMap { entity, properties in
      (newEntities.contains(entity) ? ["+ \(entity)"] : [])
        + properties.sorted().map { "+ \(entity).\($0)" }
    }
  }
}
