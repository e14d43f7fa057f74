import Foundation
import Strandline

/// Reads values as they are typed into commands, and as they stand in files.
@MainActor struct ValueReader {
  let session: Session

  /// Reads `field=value` words for an entity.
  func values(_ tokens: ArraySlice<Token>, of entity: Entity) async throws -> [String: Value] {
    var values: [String: Value] = [:]
    for token in tokens {
      guard case .assignment(let name, let value) = token.kind else {
        throw CommandError(
          "notAnAssignment", "Could not read '\(token.text)', it is not of the form field=value.",
          advice: "Write text with spaces in quotes: name=\"Buy milk\".", at: token)
      }
      let property = try Self.property(name, of: entity, at: token)
      guard values[name] == nil else {
        throw CommandError(
          "fieldTwice", "Could not set '\(name)', it is named twice.",
          advice: "Name it once.", at: token)
      }
      values[name] = try await self.value(value, for: property, of: entity)
    }
    return values
  }

  /// The property of that name.
  static func property(
    _ name: String, of entity: Entity, at token: Token
  ) throws(CommandError) -> Property {
    if let property = entity[name] { return property }
    if entity.toMany.contains(where: { $0.name == name }) {
      throw CommandError(
        "toManyField", "Could not set '\(name)', it is a to-many relationship.",
        advice: "Use add and remove for links, or set the reference on the other side.",
        at: token)
    }
    let names = entity.properties.map(\.name)
    let hint = Suggestion.sentence(for: name, among: names)
    throw CommandError(
      "unknownField", "Could not use '\(name)', \(entity.name) has no field of that name.",
      advice: hint.isEmpty ? "Fields are: \(names.joined(separator: ", "))." : hint, at: token)
  }

  private func value(
    _ token: Token, for property: Property, of entity: Entity
  ) async throws -> Value {
    if token.isKeyword("null") {
      guard property.isOptional else {
        throw Self.wrongType(token, property, "it is required")
      }
      return .null
    }
    if property.destination != nil { return try await reference(token, property).value }
    guard let type = property.attributeType else { return .null }
    if case .file(let path) = token.kind, type == .data || type == .text {
      return try file(path, as: type, token)
    }
    guard let value = Self.value(token.text, type: type, isQuoted: token.isQuoted) else {
      throw Self.wrongType(token, property, nil)
    }
    return value
  }

  private func reference(_ token: Token, _ property: Property) async throws -> RecordID {
    let destination = property.destination ?? ""
    let key = try await RecordResolver(session: session).resolve(token, in: destination)
    guard key.entity == destination else {
      throw Self.wrongType(token, property, "\(key.entity) is another entity")
    }
    return key.id
  }

  private func file(_ path: String, as type: AttributeType, _ token: Token) throws -> Value {
    try session.requireForeignFile(path, at: token)
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw CommandError(
        "cannotRead", "Could not read the file '\(path)'.",
        advice: "Check the path and its permissions.", at: token, exitCode: .failed, cause: error)
    }
    if type == .data { return .blob(Array(data)) }
    guard let text = String(bytes: data, encoding: .utf8) else {
      throw CommandError(
        "notUTF8", "Could not read the file '\(path)', it is not UTF-8 text.",
        advice: "Save it with the encoding UTF-8.", at: token, exitCode: .failed)
    }
    return .text(text)
  }

  /// Reads a typed word as a value of a type; nil where it is none.
  nonisolated static func value(_ text: String, type: AttributeType, isQuoted: Bool) -> Value? {
    switch type {
    case .text: .text(text)
    case .integer: Int64(text).map(Value.integer)
    case .real: Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case .boolean: boolean(text)
    case .date: Timestamp.parse(text).map { .real(Double($0) / 1000) }
    case .uuid: UUID(uuidString: text).map { RecordID($0).value }
    case .data: Data(base64Encoded: text).map { .blob(Array($0)) }
    case .composite: json(text)
    }
  }

  private nonisolated static func boolean(_ text: String) -> Value? {
    switch text.lowercased() {
    case "true", "yes", "1": .integer(1)
    case "false", "no", "0": .integer(0)
    default: nil
    }
  }

  private nonisolated static func json(_ text: String) -> Value? {
    // What is no JSON is told to be of the wrong type.
    (try? JSONValue(parsing: text)).map { .text($0.text) }
  }

  private static func wrongType(
    _ token: Token, _ property: Property, _ reason: String?
  ) -> CommandError {
    let type = property.attributeType?.rawValue ?? "reference to \(property.destination ?? "")"
    return CommandError(
      "wrongType",
      "Could not set '\(property.name)' to '\(token.text)', "
        + (reason ?? "it is of type \(type)") + ".",
      advice: form(of: property), at: token)
  }

  private static func form(of property: Property) -> String {
    switch property.attributeType {
    case .text: "Write text, in quotes if it has spaces."
    case .integer: "Write a whole number such as 12."
    case .real: "Write a number such as 3.5."
    case .boolean: "Write true or false."
    case .date: "Write a date such as 2026-11-30 or 2026-11-30T14:03:22Z."
    case .uuid: "Write a UUID."
    case .data: "Write @FILE, or the bytes in base64."
    case .composite: "Write JSON in single quotes."
    case nil: "Write #ID or #N of a \(property.destination ?? "record")."
    }
  }
}
