import StrandlineModels
import StrandlineWireFormat
import Testing

@Suite struct BatchTests {
  @Test(arguments: SeededSource.seeds)
  func `what is written is read again`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    for records in [0, 1, 2, 7, 60] {
      let batch = Batch.random(records: records, using: &source)

      let read = try Batch(decoding: batch.encode())

      #expect(read == batch, "seed \(seed)")
    }
  }

  @Test(arguments: SeededSource.seeds)
  func `the same batch always has the same bytes`(seed: UInt64) throws {
    var source = SeededSource(seed: seed)
    let batch = Batch.random(records: 40, using: &source)
    var rebuilt = Batch(deltas: [])
    for (name, value) in batch.header.sorted(by: { $0.key > $1.key }) {
      rebuilt.header[name] = value
    }
    for delta in batch.deltas {
      var copy = RecordDelta(key: delta.key, birth: delta.birth, death: delta.death)
      copy.versions.reserveCapacity(100)
      for (property, version) in delta.versions.sorted(by: { $0.key > $1.key }) {
        copy.versions[property] = version
      }
      rebuilt.deltas.append(copy)
    }

    #expect(rebuilt.encode() == batch.encode(), "seed \(seed)")
    #expect(try Batch(decoding: batch.encode()).encode() == batch.encode(), "seed \(seed)")
  }

  @Test(arguments: [
    0.0, -0.0, .infinity, .leastNonzeroMagnitude, 1.0, .nan,
    Double(bitPattern: 0xFFF8_0000_0000_0007),
  ])
  func `a real keeps every bit`(real: Double) throws {
    let version = Version(life: .firstLife, stamp: .firstLife, value: .real(real))
    let key = RecordKey(entity: "E", id: RecordID(text: "1"))
    let batch = Batch(deltas: [RecordDelta(key: key, versions: ["p": version])])

    let read = try Batch(decoding: batch.encode())

    let value = try #require(read.deltas.first?.versions["p"]?.value)
    guard case .real(let found) = value else {
      Issue.record("\(value) is no real")
      return
    }
    #expect(found.bitPattern == real.bitPattern)
  }

  @Test func `names that look alike stay apart`() throws {
    let composed = RecordKey(entity: "\u{E9}", id: RecordID(text: "1"))
    let decomposed = RecordKey(entity: "e\u{301}", id: RecordID(text: "1"))
    let batch = Batch(deltas: [
      RecordDelta(key: composed, birth: .firstLife),
      RecordDelta(key: decomposed, birth: .firstLife),
    ])

    let read = try Batch(decoding: batch.encode())

    #expect(read.deltas.map { Array($0.key.entity.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
  }

  @Test func `an insert costs little more than its values`() {
    let birth = Stamp(milliseconds: 1_750_000_000_000)
    var source = SeededSource(seed: 1)
    let deltas = (0..<1000).map { _ in
      RecordDelta(
        key: RecordKey(entity: "TodoItem", id: RecordID(bytes: .random(count: 16, using: &source))),
        birth: birth,
        versions: [
          "name": Version(life: birth, stamp: birth, value: .text("milk")),
          "done": Version(life: birth, stamp: birth, value: .integer(0)),
        ])
    }

    let bytes = Batch(deltas: deltas).encode()

    // 17 bytes of id, 9 of birth, 8 of values with their numbers, 8 of structure.
    #expect(bytes.count < 1000 * 42 + 100)
  }
}
