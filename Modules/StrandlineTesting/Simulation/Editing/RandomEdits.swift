import Strandline

/// Makes random edits of any model on few records, so that devices meet on the same ones.
struct RandomEdits: Sendable {
  private static let idsPerEntity = 5

  private let seed: UInt64
  private let excluded: Set<String>

  /// - Parameters:
  ///   - seed: The ids follow from it, whatever the model's version.
  ///   - excluded: Entities that are left to an app's own edits.
  init(seed: UInt64, excluded: Set<String>) {
    self.seed = seed
    self.excluded = excluded
  }

  /// The records of an entity that are edited.
  func ids(of entity: Entity) -> [RecordID] {
    guard entity.identity.isEmpty else {
      return identities(of: entity).map { row in
        RecordID(text: entity.identityText { row[$0] ?? .null })
      }
    }
    var hash = StableHash()
    hash.add(entity.key)
    var random = SeededGenerator(seed: seed ^ hash.value)
    return (0..<Self.idsPerEntity).map { index in
      RecordID(milliseconds: Int64(index), random: random.next(), more: random.next())
    }
  }

  /// The entities of a model that are edited.
  func entities(of schema: Schema) -> [Entity] {
    schema.entities.filter { entity in
      !entity.isLink && entity.configuration == .synced && !excluded.contains(entity.name)
        && entity.identity.allSatisfy { entity[$0]?.attributeType != nil }
    }
  }

  /// The values that make the ids of an entity with an identity, the same on every device.
  private func identities(of entity: Entity) -> [[String: Value]] {
    (0..<Self.idsPerEntity).map { number in
      var row: [String: Value] = [:]
      for name in entity.identity {
        row[name] = entity[name].flatMap { Self.identity(number, of: $0) }
      }
      return row
    }
  }

  /// The values that a record's id is made of; none for an entity without an identity.
  func identity(_ id: RecordID, of entity: Entity) -> [String: Value] {
    guard !entity.identity.isEmpty, let place = ids(of: entity).firstIndex(of: id) else {
      return [:]
    }
    return identities(of: entity)[place]
  }

  private static func identity(_ number: Int, of property: Property) -> Value? {
    guard case .attribute(let type) = property.kind else { return nil }
    return switch type {
    case .text: .text("name \(number)")
    case .composite: .text("[\(number)]")
    case .integer: .integer(Int64(number))
    case .boolean: .integer(Int64(number % 2))
    case .uuid: .blob([UInt8](repeating: UInt8(number), count: 16))
    case .data: .blob([UInt8(number)])
    // A model with one of these in an identity is refused.
    case .real, .date: nil
    }
  }

  /// Makes one edit: an insert, a change, a delete, a delete with a new insert, or a link.
  func edit(_ write: WriteTransaction, _ random: inout SeededGenerator) throws {
    guard let entity = entities(of: write.catalog.schema).randomElement(using: &random),
      let id = ids(of: entity).randomElement(using: &random)
    else { return }
    guard try write.record(entity.name, id) != nil else {
      let identity = identity(id, of: entity)
      if !identity.isEmpty, Int.random(in: 0..<3, using: &random) == 0 {
        // What every installation brings is the same on all of them.
        try write.seed(entity.name, [identity])
      } else {
        try insert(entity, id, write, &random)
      }
      return
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: try write.delete(entity.name, id)
    case 2:
      try write.delete(entity.name, id)
      try insert(entity, id, write, &random)
    case 3, 4: try link(entity, id, write, &random)
    default: try change(entity, id, write, &random)
    }
  }

  /// Deletes most of the records that live.
  func deleteMany(_ write: WriteTransaction, _ random: inout SeededGenerator) throws {
    for entity in entities(of: write.catalog.schema) {
      for id in ids(of: entity) where Int.random(in: 0..<5, using: &random) > 0 {
        if try write.record(entity.name, id) != nil { try write.delete(entity.name, id) }
      }
    }
  }

  /// Changes one property of one record that lives, if any does.
  func toggle(_ write: WriteTransaction, _ random: inout SeededGenerator) throws {
    guard let entity = entities(of: write.catalog.schema).first,
      let id = ids(of: entity).first
    else { return }
    if try write.record(entity.name, id) == nil {
      try insert(entity, id, write, &random)
    } else if Int.random(in: 0..<6, using: &random) == 0 {
      try write.delete(entity.name, id)
    } else {
      try change(entity, id, write, &random)
    }
  }

  private func insert(
    _ entity: Entity, _ id: RecordID, _ write: WriteTransaction,
    _ random: inout SeededGenerator
  ) throws {
    let values = try values(of: entity, write, &random)
      .merging(identity(id, of: entity)) { $1 }
    try write.insert(entity.name, id: id, values: values)
  }

  private func change(
    _ entity: Entity, _ id: RecordID, _ write: WriteTransaction,
    _ random: inout SeededGenerator
  ) throws {
    let properties = entity.properties.filter { !entity.identity.contains($0.name) }
    guard let property = properties.randomElement(using: &random),
      let value = try value(of: property, write, &random)
    else { return }
    try write.update(entity.name, id, values: [property.name: value])
  }

  private func link(
    _ entity: Entity, _ id: RecordID, _ write: WriteTransaction,
    _ random: inout SeededGenerator
  ) throws {
    guard let side = entity.toMany.filter({ $0.link != nil }).randomElement(using: &random),
      let destination = write.catalog.schema[side.destination],
      let other = ids(of: destination).randomElement(using: &random),
      try write.record(side.destination, other) != nil
    else { return }
    if Bool.random(using: &random) {
      try write.link(entity.name, id, side.name, to: other)
    } else {
      try write.unlink(entity.name, id, side.name, from: other)
    }
  }

  private func values(
    of entity: Entity, _ write: WriteTransaction, _ random: inout SeededGenerator
  ) throws -> [String: Value] {
    var values: [String: Value] = [:]
    for property in entity.properties where Int.random(in: 0..<4, using: &random) > 0 {
      values[property.name] = try value(of: property, write, &random)
    }
    return values
  }

  private func value(
    of property: Property, _ write: WriteTransaction, _ random: inout SeededGenerator
  ) throws -> Value? {
    guard case .reference(let destination, _) = property.kind else {
      return Self.value(of: property, &random)
    }
    guard let entity = write.catalog.schema[destination],
      let id = ids(of: entity).randomElement(using: &random),
      Int.random(in: 0..<4, using: &random) > 0,
      try write.record(destination, id) != nil
    else { return property.isOptional ? .null : nil }
    return id.value
  }

  /// A value that most often nobody else writes, and sometimes one of few.
  static func value(of property: Property, _ random: inout SeededGenerator) -> Value? {
    guard case .attribute(let type) = property.kind else { return nil }
    let isOneOfFew = Int.random(in: 0..<4, using: &random) == 0
    let number = Int64.random(in: 0..<(isOneOfFew ? 3 : 1 << 32), using: &random)
    if property.isOptional, number % 16 == 5 { return .null }
    switch type {
    case .text:
      // Now and then one that a server may find too large.
      let isLong = Int.random(in: 0..<12, using: &random) == 0
      return .text("text \(number)" + (isLong ? String(repeating: ".", count: 400) : ""))
    case .integer: return .integer(number)
    case .boolean: return .integer(number % 2)
    case .real, .date: return .real(Double(number) + 0.5)
    case .uuid: return .blob((0..<16).map { UInt8(truncatingIfNeeded: number >> ($0 % 4 * 8)) })
    case .data: return .blob((0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    case .composite: return .text("[\(number)]")
    }
  }
}
