package import StrandlineModels

/// Whether a value may stand in a property's column, and in which form.
package enum ValueCheck {
  package static func stored(
    _ value: Value, as property: Property, of entity: String
  ) throws(StorageError) -> Value {
    if value.isNull {
      if property.isOptional { return .null }
      throw wrongType(value, property, entity, "it is required")
    }
    guard let type = property.attributeType else {
      guard RecordID(value) != nil else { throw wrongType(value, property, entity, nil) }
      return value
    }
    switch (type, value) {
    case (.text, .text), (.composite, .text), (.integer, .integer), (.data, .blob): return value
    case (.real, .integer(let number)), (.date, .integer(let number)): return .real(Double(number))
    case (.real, .real(let number)), (.date, .real(let number)):
      // SQLite stores NaN as null.
      if number.isNaN { throw wrongType(value, property, entity, "it is not a number") }
      return number == 0 ? .real(0) : value
    case (.boolean, .integer(let number)) where number == 0 || number == 1: return value
    case (.uuid, .blob(let bytes)) where bytes.count == 16: return value
    default: throw wrongType(value, property, entity, nil)
    }
  }

  private static func wrongType(
    _ value: Value, _ property: Property, _ entity: String, _ reason: String?
  ) -> StorageError {
    let expected = property.attributeType?.rawValue ?? "reference to \(property.destination ?? "")"
    let kind =
      switch value {
      case .null: "null"
      case .integer: "an integer"
      case .real: "a real number"
      case .text: "text"
      case .blob: "data"
      }
    return StorageError(
      .wrongType,
      "Could not set \(entity).\(property.name) to \(kind), "
        + (reason ?? "it is of type \(expected)") + ".",
      advice: "Give a value of type \(expected)\(property.isOptional ? ", or null" : "").")
  }
}
