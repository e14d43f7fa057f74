import StrandlineREPL
import Testing

@Suite struct WrappingTests {
  @Test func `a sentence is broken at its spaces`() {
    #expect(
      Wrapping.fold("The cloud copy stays as it is.", columns: 12)
        == "The cloud\ncopy stays\nas it is.")
  }

  @Test func `lines that fit stay as they are, spaces and all`() {
    let text = "  two  spaces\n\nand a line"
    #expect(Wrapping.fold(text, columns: 13) == text)
    #expect(Wrapping.fold("as wide as this", columns: nil) == "as wide as this")
  }

  @Test func `a word that is wider than the screen stays whole`() {
    #expect(
      Wrapping.fold("see /a/long/path/to/it now", columns: 8) == "see\n/a/long/path/to/it\nnow")
  }

  @Test func `columns are counted and not characters`() {
    #expect(Wrapping.fold("東京 東京 東京", columns: 9) == "東京 東京\n東京")
  }

  @Test func `the space before a line stays before it`() {
    #expect(Wrapping.fold("  · one two", columns: 7) == "  · one\ntwo")
  }
}
