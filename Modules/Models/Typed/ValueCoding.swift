import Foundation

/// How Swift values of single properties stand in a store.
enum ValueCoding {
  /// What a property's type tells without a value.
  static func kind<T>(of type: T.Type) -> ModelEncoder.Kind {
    if let reference = type as? any ReferenceValue.Type {
      return .reference(to: reference.destinationName)
    }
    switch type {
    case is Bool.Type: return .attribute(.boolean)
    case is String.Type: return .attribute(.text)
    case is Double.Type, is Float.Type: return .attribute(.real)
    case is Date.Type: return .attribute(.date)
    case is UUID.Type: return .attribute(.uuid)
    case is Data.Type: return .attribute(.data)
    case is any FixedWidthInteger.Type: return .attribute(.integer)
    default: return .attribute(rawKind(of: type) ?? .composite)
    }
  }

  /// An enumeration with raw values is stored as its raw value.
  private static func rawKind<T>(of type: T.Type) -> AttributeType? {
    func raw<R: RawRepresentable>(_: R.Type) -> AttributeType? {
      if case .attribute(let type) = kind(of: R.RawValue.self) { type } else { nil }
    }
    return (type as? any RawRepresentable.Type).flatMap { raw($0) }
  }

  static func encode<T: Encodable>(_ value: T) throws -> (ModelEncoder.Kind, Value) {
    let kind = kind(of: T.self)
    if let stored = simple(value) { return (kind, stored) }
    if let raw = value as? any RawRepresentable, let stored = simple(raw.rawValue) {
      return (kind, stored)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (kind, .text(String(decoding: try encoder.encode(value), as: UTF8.self)))
  }

  private static func simple(_ value: Any) -> Value? {
    switch value {
    case let value as Bool: .integer(value ? 1 : 0)
    case let value as String: .text(value)
    case let value as Double: .real(value)
    case let value as Float: .real(Double(value))
    case let value as Date: .real(value.timeIntervalSince1970)
    case let value as UUID: RecordID(value).value
    case let value as Data: .blob(Array(value))
    case let value as RecordID: value.value
    case let value as any ReferenceValue: value.id.value
    case let value as any FixedWidthInteger: Int64(exactly: value).map(Value.integer)
    default: nil
    }
  }

  /// Reads a stored value as a Swift type, or nil where the store holds another kind of value.
  static func decode<T: Decodable>(_ type: T.Type, from value: Value) -> T? {
    if let reference = type as? any ReferenceValue.Type {
      return RecordID(value).flatMap { reference.init(id: $0) as? T }
    }
    switch type {
    case is RecordID.Type: return RecordID(value) as? T
    case is Date.Type: return value.real.map { Date(timeIntervalSince1970: $0) } as? T
    case is UUID.Type: return value.blob.flatMap(uuid) as? T
    case is Data.Type: return value.blob.map { Data($0) } as? T
    default: break
    }
    if let raw = rawValue(type, from: value) { return raw }
    guard let text = value.text else { return nil }
    // Text that is not what the type expects is another kind of value, which any SQLite client
    // may have written.
    return try? JSONDecoder().decode(type, from: Data(text.utf8))
  }

  private static func rawValue<T>(_ type: T.Type, from value: Value) -> T? {
    func make<R: RawRepresentable>(_: R.Type) -> R? {
      let raw: Any? =
        switch R.RawValue.self {
        case is String.Type: value.text
        case is Double.Type: value.real
        default: value.integer.flatMap { integer(R.RawValue.self, $0) }
        }
      return (raw as? R.RawValue).flatMap { R(rawValue: $0) }
    }
    return (type as? any RawRepresentable.Type).flatMap { make($0) as? T }
  }

  private static func integer(_ type: Any.Type, _ value: Int64) -> Any? {
    func make<I: FixedWidthInteger>(_: I.Type) -> Any? { I(exactly: value) }
    return (type as? any FixedWidthInteger.Type).flatMap { make($0) }
  }

  private static func uuid(_ bytes: [UInt8]) -> UUID? {
    guard bytes.count == 16 else { return nil }
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }
}

extension Value {
  /// Makes the stored form of a constant in a predicate; nil for a type that has none.
  package init?(predicateValue: Any) throws {
    // An optional that is nil has no value to look at.
    let mirror = Mirror(reflecting: predicateValue)
    if mirror.displayStyle == .optional {
      guard let wrapped = mirror.children.first?.value else {
        self = .null
        return
      }
      try self.init(predicateValue: wrapped)
      return
    }
    guard let encodable = predicateValue as? any Encodable else { return nil }
    self = try ValueCoding.encode(encodable).1
  }
}
