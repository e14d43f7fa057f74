import Foundation

/// Reads the fields of a typed value, in the order of its properties.
package struct ModelEncoder {
  /// What a property's Swift type tells.
  package enum Kind: Equatable {
    case attribute(AttributeType)
    case reference(to: String)
  }

  /// One property of a value.
  package struct Field {
    package var name: String
    package var kind: Kind
    package var isOptional: Bool
    package var value: Value

    package var type: AttributeType? {
      if case .attribute(let type) = kind { type } else { nil }
    }
  }

  /// Encodes a value.
  package static func fields(of value: some Encodable) throws -> [Field] {
    let sink = FieldSink()
    try value.encode(to: FieldEncoder(sink: sink))
    return sink.fields
  }
}

private final class FieldSink {
  var fields: [ModelEncoder.Field] = []
}

/// That a model's `encode(to:)` is not that of a flat struct.
struct UnsupportedEncoding: ExplainedError {
  let what: String
  var codeName: String { "unsupportedEncoding" }
  var message: String { "Could not encode a model, its encode(to:) asks for \(what)." }
  var advice: String { "Let the compiler write the Codable conformance of the model." }
}

private struct FieldEncoder: Encoder {
  let sink: FieldSink
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(FieldContainer<Key>(sink: sink))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingContainer(what: "a list")
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingContainer(what: "a single value")
  }
}

private struct FieldContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let sink: FieldSink
  var codingPath: [any CodingKey] { [] }

  private func add(_ key: Key, _ type: AttributeType, _ value: Value, optional: Bool = false) {
    sink.fields.append(
      ModelEncoder.Field(
        name: key.stringValue, kind: .attribute(type), isOptional: optional, value: value))
  }

  func encodeNil(forKey key: Key) { add(key, .composite, .null, optional: true) }
  func encode(_ value: Bool, forKey key: Key) { add(key, .boolean, .integer(value ? 1 : 0)) }
  func encode(_ value: String, forKey key: Key) { add(key, .text, .text(value)) }
  func encode(_ value: Double, forKey key: Key) { add(key, .real, .real(value)) }
  func encode(_ value: Float, forKey key: Key) { add(key, .real, .real(Double(value))) }
  func encode(_ value: Int, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: Int8, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: Int16, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: Int32, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: Int64, forKey key: Key) { add(key, .integer, .integer(value)) }
  func encode(_ value: UInt8, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: UInt16, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: UInt32, forKey key: Key) { add(key, .integer, .integer(Int64(value))) }
  func encode(_ value: UInt, forKey key: Key) throws { try encodeLarge(UInt64(value), key) }
  func encode(_ value: UInt64, forKey key: Key) throws { try encodeLarge(value, key) }

  private func encodeLarge(_ value: UInt64, _ key: Key) throws {
    guard let fits = Int64(exactly: value) else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(codingPath: [key], debugDescription: "SQLite integers have 63 bits"))
    }
    add(key, .integer, .integer(fits))
  }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    let (kind, stored) = try ValueCoding.encode(value)
    sink.fields.append(
      ModelEncoder.Field(name: key.stringValue, kind: kind, isOptional: false, value: stored))
  }

  private func addOptional<T: Encodable>(_ value: T?, _ key: Key) throws {
    let kind = ValueCoding.kind(of: T.self)
    let stored = try value.map { try ValueCoding.encode($0) }
    sink.fields.append(
      ModelEncoder.Field(
        name: key.stringValue, kind: stored?.0 ?? kind, isOptional: true,
        value: stored?.1 ?? .null))
  }

  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try addOptional(value, key) }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
    try addOptional(value, key)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(FieldContainer<Nested>(sink: FieldSink()))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingContainer(what: "a nested list")
  }

  func superEncoder() -> any Encoder { FieldEncoder(sink: FieldSink()) }
  func superEncoder(forKey key: Key) -> any Encoder { FieldEncoder(sink: FieldSink()) }
}

/// Containers that a flat struct never asks for; using one is an error.
private struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let what: String
  var codingPath: [any CodingKey] { [] }
  var count: Int { 0 }

  func encodeNil() throws { throw UnsupportedEncoding(what: what) }
  func encode<T: Encodable>(_ value: T) throws { throw UnsupportedEncoding(what: what) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(FieldContainer<Nested>(sink: FieldSink()))
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  func superEncoder() -> any Encoder { FieldEncoder(sink: FieldSink()) }
}
