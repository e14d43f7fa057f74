import Strandline

/// Records as programs and as people read them.
struct RecordText {
  let schema: Schema

  /// The documented JSON of a record.
  func json(_ record: Record) -> JSONValue {
    let entity = schema[record.entity]
    let fields = (entity?.properties ?? []).map { property in
      JSONValue.Member(property.name, json(record[property.name], of: property))
    }
    return .object([
      "entity": .string(record.entity), "id": .string(record.id.description),
      "fields": .object(fields),
    ])
  }

  /// One value as JSON.
  func json(_ value: Value, of property: Property?) -> JSONValue {
    guard let property else { return AttributeType.data.json(from: value) }
    guard let type = property.attributeType else {
      return RecordID(value).map { .string($0.description) } ?? .null
    }
    return type.json(from: value)
  }

  /// One value as people read it.
  func text(_ value: Value, of property: Property?) -> String {
    switch json(value, of: property) {
    case .null: "null"
    case .string(let text): text
    case let other: other.text
    }
  }
}
