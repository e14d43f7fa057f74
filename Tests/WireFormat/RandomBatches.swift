import StrandlineModels
import StrandlineWireFormat

extension Batch {
  /// A batch of arbitrary records: every kind of id and value, every way in which stamps coincide.
  static func random(records: Int, using source: inout SeededSource) -> Batch {
    var header: [String: Value] = [:]
    for name in ["a", "bb", "é", ""] where Bool.random(using: &source) {
      header[name] = .random(using: &source)
    }
    let deltas = (0..<records).map { _ in RecordDelta.random(using: &source) }
    return Batch(header: header, deltas: deltas)
  }
}

extension RecordDelta {
  static func random(using source: inout SeededSource) -> RecordDelta {
    let entities = ["Item", "List", "Ärger", "e"]
    let entity = entities[Int.random(in: 0..<entities.count, using: &source)]
    let key = RecordKey(entity: entity, id: .random(using: &source))
    var delta = RecordDelta(key: key)
    if Bool.random(using: &source) { delta.birth = .random(using: &source) }
    if Bool.random(using: &source) {
      delta.death = Death(life: .random(using: &source), stamp: .random(using: &source))
    }
    for property in ["a", "b", "long name", "ü", ""] where Bool.random(using: &source) {
      delta.versions[property] = Version(
        life: .random(using: &source), stamp: .random(using: &source),
        value: .random(using: &source))
    }
    return delta
  }
}

extension RecordID {
  static func random(using source: inout SeededSource) -> RecordID {
    switch Int.random(in: 0..<4, using: &source) {
    case 0: RecordID(text: "key-\(Int.random(in: 0..<1000, using: &source))")
    case 1: RecordID(bytes: .random(count: 32, using: &source))
    default: RecordID(bytes: .random(count: 16, using: &source))
    }
  }
}

extension Stamp {
  static func random(using source: inout SeededSource) -> Stamp {
    switch Int.random(in: 0..<4, using: &source) {
    case 0: .firstLife
    case 1: WireLimits.greatestStamp
    case 2: Stamp(milliseconds: 1000, counter: UInt16.random(in: 0..<3, using: &source))
    default: Stamp(rawValue: Int64.random(in: 0...1 << 58, using: &source))
    }
  }
}

extension Value {
  static func random(using source: inout SeededSource) -> Value {
    switch Int.random(in: 0..<6, using: &source) {
    case 0: return .null
    case 1: return .integer(Int64.random(in: .min ... .max, using: &source))
    case 2: return .integer(Int64.random(in: -300...300, using: &source))
    case 3: return .real(Double(bitPattern: source.next()))
    case 4:
      let letters = Array("aé日\u{0}\u{1F600}\u{301}")
      return .text(
        String(
          (0..<Int.random(in: 0..<40, using: &source)).map { _ in
            letters.randomElement(using: &source) ?? "x"
          }))
    default: return .blob(.random(count: Int.random(in: 0..<300, using: &source), using: &source))
    }
  }
}

extension [UInt8] {
  static func random(count: Int, using source: inout SeededSource) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &source) }
  }
}
