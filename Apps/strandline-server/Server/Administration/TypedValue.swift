import Foundation
import StrandlineModels

/// Reads `property=value` as a person writes it, in the type that the property has.
///
/// A server knows names but no types. So a value takes the type of the one that it replaces, and
/// `property:TYPE=value` says the type where there is none.
struct TypedValue {
  let property: String
  private let type: String?
  private let text: String

  /// Types by the words of model files.
  private static let types = [
    "text", "integer", "real", "boolean", "date", "uuid", "data", "composite",
  ]

  /// Reads an assignment.
  init(_ word: String) throws(CommandFailure) {
    guard let equals = word.firstIndex(of: "=") else {
      throw .usage(
        "Could not read '\(word)', it is not of the form property=value.",
        "Write text with spaces in quotes: name=\"Buy milk\".")
    }
    text = String(word[word.index(after: equals)...])
    let left = word[..<equals].split(separator: ":", omittingEmptySubsequences: false)
    property = left.first.map(String.init) ?? ""
    type = left.count > 1 ? String(left[1]) : nil
    guard !property.isEmpty, left.count <= 2 else {
      throw .usage("Could not read '\(word)', the property is missing.", "Write property=value.")
    }
    if let type, !Self.types.contains(type) {
      let hint = Suggestion.sentence(for: type, among: Self.types)
      throw .usage(
        "Could not read '\(word)', there is no type '\(type)'.",
        hint.isEmpty ? "Types are: \(Self.types.joined(separator: ", "))." : hint)
    }
  }

  /// The value, in the named type or that of a value which it replaces.
  func value(replacing old: Value?) throws(CommandFailure) -> Value {
    let value: Value?
    if let type {
      value = read(as: type)
    } else if text == "null" {
      value = .null
    } else {
      value =
        switch old {
        case .text: .text(text)
        case .integer: read(as: "boolean") ?? read(as: "integer")
        case .real: read(as: "real") ?? read(as: "date")
        case .blob(let bytes) where bytes.count == 16: read(as: "uuid") ?? read(as: "data")
        case .blob: read(as: "data")
        case .null, nil: guess()
        }
    }
    guard let value else {
      throw .usage(
        "Could not set '\(property)' to '\(text)', it is of another type.",
        "Write \(property):TYPE=value with one of: \(Self.types.joined(separator: ", ")).")
    }
    return value
  }

  private func read(as type: String) -> Value? {
    switch type {
    case "text": .text(text)
    case "integer": Int64(text).map(Value.integer)
    case "real": Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case "boolean": ["true": .integer(1), "false": .integer(0)][text]
    case "date": Timestamp.parse(text).map { .real(Double($0) / 1000) }
    case "uuid": UUID(uuidString: text).map { RecordID($0).value }
    case "data": Data(base64Encoded: text).map { .blob(Array($0)) }
    case "composite": json
    default: nil
    }
  }

  private var json: Value? {
    do { return .text(try JSONValue(parsing: text).text) } catch { return nil }
  }

  private func guess() -> Value {
    read(as: "boolean") ?? read(as: "integer") ?? read(as: "real") ?? .text(text)
  }
}

extension Value {
  /// The value as a person reads it.
  var shown: String {
    switch self {
    case .null: "null"
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .text(let text): text
    case .blob(let bytes):
      bytes.count == 16 ? RecordID(bytes: bytes).description : Data(bytes).base64EncodedString()
    }
  }

  /// The value as JSON.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): .number(number)
    case .text(let text): .string(text)
    case .blob: .string(shown)
    }
  }
}
