import Foundation
import StrandlineModels
import StrandlineTestSupport
import StrandlineWireFormat
import Testing

/// Another language's CBOR library reads what is written here, and the other way round.
@Suite struct CrossCheckTests {
  /// Runs a Python script with `cbor2` on some text and returns what it prints.
  private func python(_ script: String, input: String) async throws -> String {
    let outcome = try await ChildProcess(
      folder: TemporaryFolder(), executable: "/usr/bin/python3", arguments: ["-c", script]
    ).run(input: input)
    if outcome.error.contains("No module named 'cbor2'") {
      Issue.record("This test needs Python's cbor2: apt-get install python3-cbor2")
    }
    try #require(outcome.code == 0, "\(outcome.error)")
    return outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `another library reads every batch and writes the same bytes`() async throws {
    var source = SeededSource(seed: 11)
    var batches = GoldenBatch.all.map(\.batch)
    batches += (0..<20).map { _ in Batch.random(records: 10, using: &source) }
    let lines = batches.map { Hexadecimal.text($0.encode()) }.joined(separator: "\n")

    let output = try await python(
      """
      import cbor2, sys
      for line in sys.stdin:
          print(cbor2.dumps(cbor2.loads(bytes.fromhex(line))).hex())
      """, input: lines)

    #expect(output == lines)
  }

  @Test func `another library sees the values that were written`() async throws {
    let batch = try #require(GoldenBatch.all.first { $0.name == "rebirth" }).batch

    let output = try await python(
      """
      import cbor2, sys
      batch = cbor2.loads(bytes.fromhex(sys.stdin.read()))
      print(batch == {0: 1, 2: [["Item", ["a", "b", "c"]]], 3: [{0: 0, 1: "key", 2: 50, 3: [40, 45],
          4: {0: None}, 5: [60, {1: b"\\x00\\xff"}], 6: [[70, 80, {2: -1}]]}]})
      """, input: Hexadecimal.text(batch.encode()))

    #expect(output == "True")
  }

  @Test func `a batch of another library is read`() async throws {
    let output = try await python(
      """
      import cbor2
      print(cbor2.dumps({0: 1, 1: {"by": "python"}, 2: [["Item", ["due", "name"]]], 3: [
          {0: 0, 1: bytes(range(16)), 2: 131072, 4: {1: "Brot"}, 5: [131073, {0: 2.25}]}],
          9: [{"new": [1.5, True]}]}).hex())
      """, input: "")

    let bytes = try #require(Hexadecimal.bytes(output))
    let birth = Stamp(rawValue: 131_072)
    let key = RecordKey(entity: "Item", id: RecordID(bytes: Array(0..<16)))
    let expected = Batch(
      header: ["by": .text("python")],
      deltas: [
        RecordDelta(
          key: key, birth: birth,
          versions: [
            "name": Version(life: birth, stamp: birth, value: .text("Brot")),
            "due": Version(life: birth, stamp: birth.next, value: .real(2.25)),
          ])
      ])
    #expect(try Batch(decoding: bytes) == expected)
  }
}
