import StrandlineModels
import StrandlineWireFormat
import Testing

/// One batch of each shape with its bytes, which were written by another CBOR library.
struct GoldenBatch: Sendable, CustomTestStringConvertible {
  let name: String
  let batch: Batch
  let hexadecimal: String

  var testDescription: String { name }

  private static let uuid = RecordID("0190b6f0-7c1a-7000-8000-00000000002a")

  private static func stamp(_ number: Int64) -> Stamp { Stamp(rawValue: number) }

  private static func version(_ life: Int64, _ stamp: Int64, _ value: Value) -> Version {
    Version(life: Stamp(rawValue: life), stamp: Stamp(rawValue: stamp), value: value)
  }

  private static func item(_ id: RecordID) -> RecordKey { RecordKey(entity: "Item", id: id) }

  static let all: [GoldenBatch] = [
    GoldenBatch(name: "empty", batch: Batch(deltas: []), hexadecimal: "a3000102800380"),
    GoldenBatch(
      name: "header",
      batch: Batch(header: ["text": .text("é"), "n": .integer(7)], deltas: []),
      hexadecimal: "a4000101a2616e07647465787462c3a902800380"),
    GoldenBatch(
      name: "insert",
      batch: Batch(deltas: [
        RecordDelta(
          key: item(uuid), birth: stamp(0x10000),
          versions: [
            "name": version(0x10000, 0x10000, .text("milk")),
            "done": version(0x10000, 0x10000, .integer(0)),
          ])
      ]),
      hexadecimal: "a30001028182644974656d8264646f6e65646e616d650381a400000150"
        + "0190b6f07c1a7000800000000000002a021a0001000004a2000001646d696c6b"),
    GoldenBatch(
      name: "edit",
      batch: Batch(deltas: [
        RecordDelta(key: item(uuid), versions: ["due": version(0x10000, 0x20000, .real(1.5))])
      ]),
      hexadecimal: "a30001028182644974656d81636475650381a300000150"
        + "0190b6f07c1a7000800000000000002a0681831a000100001a00020000a100fb3ff8000000000000"),
    GoldenBatch(
      name: "delete",
      batch: Batch(deltas: [
        RecordDelta(key: item(uuid), death: Death(life: stamp(0x10000), stamp: stamp(0x30000)))
      ]),
      hexadecimal: "a30001028182644974656d800381a300000150"
        + "0190b6f07c1a7000800000000000002a03821a000100001a00030000"),
    GoldenBatch(
      name: "rebirth",
      batch: Batch(deltas: [
        RecordDelta(
          key: item(RecordID(text: "key")), birth: stamp(50),
          death: Death(life: stamp(40), stamp: stamp(45)),
          versions: [
            "a": version(50, 50, .null), "b": version(50, 60, .blob([0, 0xFF])),
            "c": version(70, 80, .integer(-1)),
          ])
      ]),
      hexadecimal: "a30001028182644974656d836161616261630381a7000001636b6579021832"
        + "03821828182d04a100f60582183ca1014200ff06818318461850a10220"),
    GoldenBatch(
      name: "values",
      batch: Batch(deltas: [
        RecordDelta(
          key: RecordKey(entity: "E", id: RecordID(bytes: Array(0..<32))), birth: .firstLife,
          versions: [
            "a": version(1, 1, .integer(.min)), "b": version(1, 1, .real(-0.0)),
            "c": version(1, 1, .text("")), "d": version(1, 1, .blob([])),
            "e": version(1, 1, .null),
          ])
      ]),
      hexadecimal: "a30001028182614585616161626163616461650381a4000001"
        + "5820000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        + "020104a5003b7fffffffffffffff01fb80000000000000000260034004f6"),
    GoldenBatch(
      name: "two entities",
      batch: Batch(deltas: [
        RecordDelta(
          key: RecordKey(entity: "B", id: RecordID(text: "x")), birth: stamp(5),
          versions: ["p": version(5, 5, .integer(1))]),
        RecordDelta(
          key: RecordKey(entity: "A", id: RecordID(text: "y")), birth: stamp(5),
          versions: ["p": version(5, 5, .integer(2))]),
      ]),
      hexadecimal: "a3000102828261418161708261428161700382"
        + "a40001016178020504a10001a40000016179020504a10002"),
  ]
}

@Suite struct GoldenTests {
  @Test(arguments: GoldenBatch.all)
  func `each shape has its bytes`(golden: GoldenBatch) throws {
    #expect(Hexadecimal.text(golden.batch.encode()) == golden.hexadecimal)
    let bytes = try #require(Hexadecimal.bytes(golden.hexadecimal))
    #expect(try Batch(decoding: bytes) == golden.batch)
  }
}
