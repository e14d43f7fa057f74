import StrandlineModels

/// The names that a batch's deltas use, each once: entities, and the properties of each.
///
/// Both are sorted, so that the numbers do not depend on the order of a dictionary.
struct BatchTables {
  struct EntityTable {
    var name: String
    var properties: [String]
    var numbers: [ExactName: Int] = [:]
  }

  private(set) var entities: [EntityTable]
  private var numbers: [ExactName: Int] = [:]

  /// Collects the names of some deltas.
  init(of deltas: [RecordDelta]) {
    var found: [ExactName: Set<ExactName>] = [:]
    for delta in deltas {
      found[ExactName(text: delta.key.entity), default: []]
        .formUnion(delta.versions.keys.lazy.map(ExactName.init))
    }
    entities = found.map { name, properties in
      EntityTable(
        name: name.text,
        properties: properties.map(\.text).sorted(by: ExactName.precedes))
    }
    entities.sort { ExactName.precedes($0.name, $1.name) }
    for index in entities.indices {
      numbers[ExactName(text: entities[index].name)] = index
      entities[index].numbers = Dictionary(
        uniqueKeysWithValues: entities[index].properties.enumerated().map {
          (ExactName(text: $0.element), $0.offset)
        })
    }
  }

  /// The number of an entity.
  func number(ofEntity name: String) -> Int? { numbers[ExactName(text: name)] }
}
