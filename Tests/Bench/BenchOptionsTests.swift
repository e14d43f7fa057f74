import StrandlineBench
import Testing

@Suite struct BenchOptionsTests {
  private let rows = ["insert", "update", "first-sync"]

  private func refusal(_ words: String...) -> String? {
    do throws(BenchOptions.Refusal) {
      _ = try BenchOptions(words, rows: rows)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `a short run is smaller wherever its option stands`() throws {
    let full = try BenchOptions([], rows: rows)
    #expect((full.records, full.mostRecords) == (100_000, 1_000_000))
    for words in [["--short", "--only", "insert"], ["--only", "insert", "--short"]] {
      let short = try BenchOptions(words, rows: rows)
      #expect(short.isShort && short.mostRecords == 100_000)
      #expect(short.only == ["insert"])
    }
  }

  @Test func `sizes that were named go before those of a short run`() throws {
    let options = try BenchOptions(
      ["--short", "--records", "5000", "--rounds", "2", "--streams", "10"], rows: rows)
    #expect(options.mostRecords == 5000)
    #expect(options.records == 5000, "no row has more records than the largest zone")
    #expect((options.rounds, options.streams) == (2, 10))
  }

  @Test func `several rows may be named`() throws {
    let options = try BenchOptions(["--only", "insert", "--only", "first-sync"], rows: rows)
    #expect(options.only == ["insert", "first-sync"])
  }

  @Test func `a word that is not known is refused with what may have been meant`() {
    #expect(refusal("--only", "insrt")?.contains("Did you mean insert?") == true)
    #expect(refusal("--shrt")?.contains("Did you mean --short?") == true)
    #expect(refusal("--only") == "Could not read '--only', the name of a row is missing.")
  }

  @Test func `a number outside what can be measured is refused`() {
    for number in ["0", "999", "1000001", "many", "-5"] {
      #expect(refusal("--records", number)?.contains("1000 to 1000000") == true, "\(number)")
    }
  }
}
