/// Makes a typed value from stored values.
///
/// A column that holds null or another kind of value where the property needs one shows the
/// property's default: any SQLite client can write anything into a column, and one such value
/// must not make the record unreadable.
package struct ModelDecoder {
  /// Decodes a value, given its stored values and the defaults by property name.
  package static func decode<M: Decodable>(
    _ type: M.Type, values: [String: Value], defaults: [String: Value]
  ) throws -> M {
    try M(from: FieldDecoder(values: values, defaults: defaults))
  }
}

private struct FieldDecoder: Decoder {
  let values: [String: Value]
  let defaults: [String: Value]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(FieldSource<Key>(values: values, defaults: defaults))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw Self.notFlat
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw Self.notFlat
  }

  static var notFlat: DecodingError {
    .dataCorrupted(
      .init(codingPath: [], debugDescription: "A model is decoded by the names of its properties."))
  }
}

private struct FieldSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: Value]
  let defaults: [String: Value]
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool {
    values[key.stringValue] != nil || defaults[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) -> Bool {
    (values[key.stringValue] ?? .null).isNull
  }

  private func read<T>(_ key: Key, _ convert: (Value) -> T?) throws -> T {
    if let stored = values[key.stringValue], let value = convert(stored) { return value }
    if let fallback = defaults[key.stringValue], let value = convert(fallback) { return value }
    throw DecodingError.valueNotFound(
      T.self,
      .init(codingPath: [key], debugDescription: "The store has no value and no default."))
  }

  private func readInteger<I: FixedWidthInteger>(_ key: Key) throws -> I {
    try read(key) { $0.integer.flatMap { I(exactly: $0) } }
  }

  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try read(key) { $0.integer.map { $0 != 0 } }
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try read(key, \.text) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try read(key, \.real) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try read(key) { $0.real.map { Float($0) } }
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try readInteger(key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try readInteger(key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try readInteger(key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try readInteger(key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try readInteger(key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try readInteger(key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try readInteger(key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try readInteger(key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try readInteger(key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try readInteger(key) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    try read(key) { ValueCoding.decode(type, from: $0) }
  }

  /// An optional property has no default; a value of another kind is as good as none.
  private func readOptional<T>(_ key: Key, _ convert: (Value) -> T?) -> T? {
    values[key.stringValue].flatMap(convert)
  }

  private func readOptionalInteger<I: FixedWidthInteger>(_ key: Key) -> I? {
    readOptional(key) { $0.integer.flatMap { I(exactly: $0) } }
  }

  func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? {
    readOptional(key) { $0.integer.map { $0 != 0 } }
  }
  func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? {
    readOptional(key, \.text)
  }
  func decodeIfPresent(_ type: Double.Type, forKey key: Key) -> Double? {
    readOptional(key, \.real)
  }
  func decodeIfPresent(_ type: Float.Type, forKey key: Key) -> Float? {
    readOptional(key) { $0.real.map { Float($0) } }
  }
  func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: Int8.Type, forKey key: Key) -> Int8? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: Int16.Type, forKey key: Key) -> Int16? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: Int32.Type, forKey key: Key) -> Int32? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: UInt.Type, forKey key: Key) -> UInt? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) -> UInt8? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) -> UInt16? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) -> UInt32? { readOptionalInteger(key) }
  func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { readOptionalInteger(key) }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) -> T? {
    readOptional(key) { ValueCoding.decode(type, from: $0) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    throw FieldDecoder.notFlat
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw FieldDecoder.notFlat
  }

  func superDecoder() throws -> any Decoder { throw FieldDecoder.notFlat }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw FieldDecoder.notFlat }
}
