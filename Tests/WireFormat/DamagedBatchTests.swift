import StrandlineModels
import StrandlineWireFormat
import Testing

@Suite struct DamagedBatchTests {
  @Test(arguments: GoldenBatch.all)
  func `every truncation is refused`(golden: GoldenBatch) throws {
    let bytes = golden.batch.encode()
    for count in 0..<bytes.count {
      let error = #expect(throws: WireError.self, "\(count) bytes") {
        try Batch(decoding: Array(bytes[..<count]))
      }
      #expect(error?.code == .truncated, "\(count) bytes")
    }
  }

  @Test func `a hundred thousand mutations are read or refused`() throws {
    let seed = SeededSource.seeds[0]
    var source = SeededSource(seed: seed)
    var refused = 0
    var misplaced = 0
    for round in 0..<100 {
      let batch = Batch.random(records: 1 + round % 3, using: &source)
      let original = batch.encode()
      for _ in 0..<1000 {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &source) { mutate(&bytes, using: &source) }
        do {
          _ = try Batch(decoding: bytes).encode()
        } catch {
          refused += 1
          if !(0...bytes.count).contains(error.position) { misplaced += 1 }
        }
      }
    }
    #expect(misplaced == 0, "seed \(seed)")
    #expect(refused > 10_000, "seed \(seed)")
  }

  private func mutate(_ bytes: inout [UInt8], using source: inout SeededSource) {
    guard let index = bytes.indices.randomElement(using: &source) else { return }
    switch Int.random(in: 0..<5, using: &source) {
    case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &source)
    case 1: bytes[index] = UInt8.random(in: .min ... .max, using: &source)
    case 2: bytes.remove(at: index)
    case 3:
      bytes.insert(
        [0x00, 0x7F, 0x80, 0x9B, 0xBB, 0xFF].randomElement(using: &source) ?? 0, at: index)
    default: bytes.removeSubrange(index...)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let what: String
    let hexadecimal: String
    let code: WireError.Code
    let position: Int

    var testDescription: String { what }
  }

  static let cases: [Case] = [
    Case(what: "nothing", hexadecimal: "", code: .truncated, position: 0),
    Case(what: "a list", hexadecimal: "80", code: .wrongType, position: 0),
    Case(
      what: "bytes after the end", hexadecimal: "a300010280038000", code: .trailingBytes,
      position: 7),
    Case(what: "a newer format", hexadecimal: "a3000202800380", code: .newerFormat, position: 2),
    Case(what: "format 0", hexadecimal: "a3000002800380", code: .outOfRange, position: 2),
    Case(what: "no format", hexadecimal: "a202800380", code: .missing, position: 4),
    Case(what: "no changes", hexadecimal: "a200010280", code: .missing, position: 0),
    Case(what: "the format twice", hexadecimal: "a30001000103f6", code: .duplicateKey, position: 3),
    Case(what: "keys out of order", hexadecimal: "a3000103800280", code: .missing, position: 4),
    Case(
      what: "unknown keys out of order", hexadecimal: "a50001028003800af609f6",
      code: .notDeterministic, position: 9),
    Case(
      what: "a number longer than it need be", hexadecimal: "a300180102800380",
      code: .notDeterministic, position: 2),
    Case(
      what: "an open list", hexadecimal: "a30001029fff0380", code: .notDeterministic, position: 4),
    Case(
      what: "an open text", hexadecimal: "a30001028182" + "7fff", code: .notDeterministic,
      position: 6),
    Case(
      what: "a count beyond the bytes", hexadecimal: "a3000102800384", code: .truncated, position: 6
    ),
    Case(
      what: "a count of two to the 63", hexadecimal: "a30001029b8000000000000000", code: .tooLarge,
      position: 4),
    Case(
      what: "a length of two to the 63", hexadecimal: "a300010281827b8000000000000000",
      code: .truncated, position: 6),
    Case(
      what: "a name that is not UTF-8", hexadecimal: "a300010281824180" + "80", code: .wrongType,
      position: 6),
    Case(
      what: "a text that is not UTF-8", hexadecimal: "a3000102818261ff800380", code: .badText,
      position: 6),
    Case(
      what: "an entity twice", hexadecimal: "a3000102828261418082614180" + "0380",
      code: .duplicateKey, position: 9),
    Case(
      what: "a property twice", hexadecimal: "a300010281826141826170" + "61700380",
      code: .duplicateKey, position: 11),
    Case(
      what: "an unknown entity's number", hexadecimal: "a3000102800381a2000001" + "6178",
      code: .outOfRange, position: 9),
    Case(
      what: "a record without an id", hexadecimal: "a300010281826141800381a10000", code: .missing,
      position: 11),
    Case(
      what: "an id that is a number", hexadecimal: "a300010281826141800381a200000105",
      code: .wrongType, position: 15),
    Case(
      what: "versions before their birth", hexadecimal: "a300010281826141800381a3000001617804a0",
      code: .missing, position: 18),
    Case(
      what: "a stamp beyond all time",
      hexadecimal: "a300010281826141800381a30000016178021b7fffffffffffffff", code: .outOfRange,
      position: 18),
    Case(
      what: "a negative stamp", hexadecimal: "a300010281826141800381a300000161780220",
      code: .wrongType, position: 18),
    Case(
      what: "a property twice in a change",
      hexadecimal: "a30001028182614181617003" + "81a4000001617802050582" + "06a20001" + "0002",
      code: .duplicateKey, position: 27),
    Case(
      what: "a truth value", hexadecimal: "a4000101a16161f502800380", code: .wrongType, position: 7),
    Case(
      what: "a short real", hexadecimal: "a4000101a16161f93c0002800380", code: .notDeterministic,
      position: 7),
    Case(
      what: "an integer beyond 64 bits", hexadecimal: "a4000101a161611bffffffffffffffff02800380",
      code: .outOfRange, position: 7),
    Case(
      what: "a header entry twice", hexadecimal: "a4000101a2616101616102" + "02800380",
      code: .duplicateKey, position: 8),
    Case(what: "a reserved head", hexadecimal: "a30001021c0000", code: .malformed, position: 4),
  ]

  @Test(arguments: cases)
  func `a fault is named with its byte`(fault: Case) throws {
    let bytes = try #require(Hexadecimal.bytes(fault.hexadecimal))
    let error = try #require(throws: WireError.self) { try Batch(decoding: bytes) }
    #expect(error.code == fault.code)
    #expect(error.position == fault.position)
    #expect(error.message.hasPrefix("Could not read the batch, "))
  }

  @Test func `deep nesting in an unknown part is refused`() throws {
    let nested = [UInt8](repeating: 0x81, count: 1_000_000) + [0xF6]
    let bytes: [UInt8] = [0xA4, 0, 1, 2, 0x80, 3, 0x80, 9] + nested

    let error = try #require(throws: WireError.self) { try Batch(decoding: bytes) }

    #expect(error.code == .tooDeep)
  }

  @Test func `an unknown part is passed over`() throws {
    let hexadecimal = "a4000102800380" + "09a16178c1830162c3a9f93c00"
    let bytes = try #require(Hexadecimal.bytes(hexadecimal))

    #expect(try Batch(decoding: bytes) == Batch(deltas: []))
  }

  @Test func `limits bind`() throws {
    let batch = try #require(GoldenBatch.all.first { $0.name == "insert" }).batch
    let bytes = batch.encode()
    for limits in [
      WireLimits(deltas: 0), WireLimits(entities: 0), WireLimits(properties: 1),
      WireLimits(nameBytes: 3), WireLimits(idBytes: 15), WireLimits(valueBytes: 3),
    ] {
      let error = try #require(throws: WireError.self, "\(limits)") {
        try Batch(decoding: bytes, limits: limits)
      }
      #expect(error.code == .tooLarge, "\(limits)")
    }
    #expect(throws: Never.self) { try Batch(decoding: bytes, limits: WireLimits(valueBytes: 4)) }
  }

  @Test func `a writer can ask what a reader would refuse`() {
    let key = RecordKey(entity: "E", id: RecordID(text: "1"))
    let limits = WireLimits(valueBytes: 4)
    let long = Version(life: .firstLife, stamp: .firstLife, value: .text("12345"))

    #expect(limits.problem(with: RecordDelta(key: key, birth: .firstLife)) == nil)
    #expect(limits.problem(with: RecordDelta(key: key, versions: ["p": long])) != nil)
    #expect(limits.problem(with: RecordDelta(key: key, birth: Stamp(rawValue: .max))) != nil)
    #expect(limits.problem(with: RecordDelta(key: key, birth: Stamp(rawValue: -1))) != nil)
  }
}
