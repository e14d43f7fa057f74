import Foundation
import StrandlineModels
import StrandlineWireFormat
import Testing

/// Another language's CBOR library reads what is written here, and the other way round.
@Suite struct CrossCheckTests {
  /// Runs a Python script with `cbor2` on some text and returns what it prints.
  private func python(_ script: String, input: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = ["-c", script]
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let problem = String(decoding: errors, as: UTF8.self)
    if problem.contains("No module named 'cbor2'") {
      Issue.record("This test needs Python's cbor2: apt-get install python3-cbor2")
    }
    try #require(process.terminationStatus == 0, "\(problem)")
    return String(decoding: output, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test func `another library reads every batch and writes the same bytes`() throws {
    var source = SeededSource(seed: 11)
    var batches = GoldenBatch.all.map(\.batch)
    batches += (0..<20).map { _ in Batch.random(records: 10, using: &source) }
    let lines = batches.map { Hexadecimal.text($0.encode()) }.joined(separator: "\n")

    let output = try python(
      """
      import cbor2, sys
      for line in sys.stdin:
          print(cbor2.dumps(cbor2.loads(bytes.fromhex(line))).hex())
      """, input: lines)

    #expect(output == lines)
  }

  @Test func `another library sees the values that were written`() throws {
    let batch = try #require(GoldenBatch.all.first { $0.name == "rebirth" }).batch

    let output = try python(
      """
      import cbor2, sys
      batch = cbor2.loads(bytes.fromhex(sys.stdin.read()))
      print(batch == {0: 1, 2: [["Item", ["a", "b", "c"]]], 3: [{0: 0, 1: "key", 2: 50, 3: [40, 45],
          4: {0: None}, 5: [60, {1: b"\\x00\\xff"}], 6: [[70, 80, {2: -1}]]}]})
      """, input: Hexadecimal.text(batch.encode()))

    #expect(output == "True")
  }

  @Test func `a batch of another library is read`() throws {
    let output = try python(
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
