package import Strandline

/// Makes random edits on few records, so that devices meet on the same ones.
package struct RandomEditor: Sendable {
  private static let idsPerEntity = 6

  private let schema: Schema
  private let ids: [String: [RecordID]]

  package init(schema: Schema, random: inout SeededGenerator) {
    self.schema = schema
    var ids: [String: [RecordID]] = [:]
    for entity in schema.entities where !entity.isLink && entity.identity.isEmpty {
      ids[entity.name] = (0..<Self.idsPerEntity).map { index in
        RecordID(milliseconds: Int64(index), random: random.next(), more: random.next())
      }
    }
    self.ids = ids
  }

  /// Makes one edit: an insert, a change, a delete, a delete with a new insert, or a link.
  package func edit(_ write: WriteTransaction, _ random: inout SeededGenerator) throws {
    let entities = schema.entities.filter { ids[$0.name] != nil }
    guard let entity = entities.randomElement(using: &random),
      let id = ids[entity.name]?.randomElement(using: &random)
    else { return }
    guard try write.record(entity.name, id) != nil else {
      try write.insert(entity.name, id: id, values: values(of: entity, write, &random))
      return
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0: try write.delete(entity.name, id)
    case 1:
      try write.delete(entity.name, id)
      try write.insert(entity.name, id: id, values: values(of: entity, write, &random))
    case 2, 3: try link(entity, id, write, &random)
    default:
      let all = try values(of: entity, write, &random)
      guard let one = all.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
        return
      }
      try write.update(entity.name, id, values: [one.key: one.value])
    }
  }

  private func link(
    _ entity: Entity, _ id: RecordID, _ write: WriteTransaction,
    _ random: inout SeededGenerator
  ) throws {
    let sides = entity.toMany.filter { $0.link != nil }
    guard let side = sides.randomElement(using: &random),
      let other = ids[side.destination]?.randomElement(using: &random),
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
    for property in entity.properties {
      values[property.name] = try value(of: property, write, &random)
    }
    return values
  }

  private func value(
    of property: Property, _ write: WriteTransaction, _ random: inout SeededGenerator
  ) throws -> Value? {
    let number = Int64.random(in: 0..<4, using: &random)
    switch property.kind {
    case .attribute(.text): return .text("text \(number)")
    case .attribute(.integer): return .integer(number)
    case .attribute(.boolean): return .integer(number % 2)
    case .attribute(.real), .attribute(.date): return .real(Double(number) + 0.5)
    case .attribute(.uuid): return .blob(Array(repeating: UInt8(number), count: 16))
    case .attribute(.data): return .blob([UInt8(number)])
    case .attribute(.composite): return .text("[\(number)]")
    case .reference(let destination, _):
      guard number > 0, let id = ids[destination]?.randomElement(using: &random),
        try write.record(destination, id) != nil
      else { return .null }
      return id.value
    }
  }
}
