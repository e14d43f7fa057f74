import StrandlineREPL
import Testing

@Suite struct EditorPictureTests {
  private func picture(
    _ text: String, cursor: Int? = nil, columns: Int = 10, rows: Int = 20, prompt: String = "> "
  ) -> EditorPicture {
    let line = Array(text.unicodeScalars)
    return EditorPicture(
      prompt: PromptText(prompt), line: line, cursor: cursor ?? line.count, columns: columns,
      rows: rows)
  }

  private func screen(_ drawing: String, columns: Int = 10, rows: Int = 20) -> VirtualScreen {
    var screen = VirtualScreen(columns: columns, rows: rows)
    screen.receive(drawing.utf8)
    return screen
  }

  @Test(arguments: [
    ("abc", ["> abc"], 0, 5), ("abcdefgh", ["> abcdefgh"], 1, 0),
    ("abcdefghi", ["> abcdefgh", "i"], 1, 1), ("abcdefg名", ["> abcdefg", "名"], 1, 2),
    ("abcdef名", ["> abcdef名"], 1, 0), ("ab\ncd", ["> ab", "cd"], 1, 2),
    ("abcdefgh\nx", ["> abcdefgh", "x"], 1, 1), ("a\tb", ["> a     b"], 0, 9),
    ("a\u{1}\u{1B}", ["> a␁␛"], 0, 5), ("e\u{301}x", ["> e\u{301}x"], 0, 4),
    ("abcdefge\u{301}", ["> abcdefge\u{301}"], 1, 0), ("", [">"], 0, 2), ("\n", [">"], 1, 0),
  ])
  func `a line is laid out as a terminal wraps it`(
    text: String, lines: [String], row: Int, column: Int
  ) {
    let screen = screen(picture(text).drawing(over: nil))

    #expect(screen.lines == lines)
    #expect(screen.row == row)
    #expect(screen.column == column)
  }

  @Test func `typing at the end sends what is typed and nothing more`() {
    let old = picture("abc")

    #expect(picture("abcd").drawing(over: old) == "d")
    #expect(picture("abcdefghi名").drawing(over: picture("abcdefghi")) == "名")
    #expect(picture("abc", cursor: 1).drawing(over: old) == "\u{1B}[4G")
    #expect(old.drawing(over: old).isEmpty)
  }

  @Test func `colours of the prompt are sent again when it changes and only then`() {
    let old = picture("abc", prompt: "\u{1B}[32m>\u{1B}[0m ")
    let new = picture("abc", prompt: "\u{1B}[31m>\u{1B}[0m ")

    #expect(new.drawing(over: old).contains("\u{1B}[31m>\u{1B}[0m abc"))
    #expect(
      !picture("abx", prompt: "\u{1B}[32m>\u{1B}[0m ").drawing(over: old).contains("\u{1B}[32m"))
  }

  @Test func `a line higher than the screen shows the part with the cursor`() {
    let text = (0..<100).map { String(UnicodeScalar(UInt8(97 + $0 % 26))) }.joined()
    let end = picture(text, rows: 4)
    let start = picture(text, cursor: 0, rows: 4)

    var screen = screen(end.drawing(over: nil), rows: 4)
    #expect(screen.lines.last?.last == text.last)
    #expect(screen.row == 3)

    screen.receive(start.drawing(over: end).utf8)
    #expect(screen.lines.first == "> abcdefgh")
    #expect(screen.row == 0)
    #expect(screen.column == 2)
  }

  @Test func `any picture turns into any other`() {
    let seed = SeededGenerator.seed()
    var random = SeededGenerator(seed: seed)
    let pieces: [Unicode.Scalar] = ["a", "b", " ", "名", "漢", "é", "\u{301}", "\n", "\t", "\u{1}"]
    for columns in [2, 3, 7, 10, 20] {
      var old: EditorPicture?
      var line: [Unicode.Scalar] = []
      var drawn = VirtualScreen(columns: columns, rows: 100)
      for _ in 0..<400 {
        let from = Int.random(in: 0...line.count, using: &random)
        let to = Int.random(in: from...min(line.count, from + 3), using: &random)
        let count = line.count > 60 ? 0 : Int.random(in: 0...4, using: &random)
        line.replaceSubrange(
          from..<to, with: (0..<count).compactMap { _ in pieces.randomElement(using: &random) })
        let cursor = Int.random(in: 0...line.count, using: &random)
        let new = EditorPicture(
          prompt: PromptText("> "), line: line, cursor: cursor, columns: columns, rows: 100)

        drawn.receive(new.drawing(over: old).utf8)
        old = new

        let afresh = screen(new.drawing(over: nil), columns: columns, rows: 100)
        #expect(drawn.lines == afresh.lines, "seed \(seed), \(columns) columns")
        #expect([drawn.row, drawn.column] as [Int] == [afresh.row, afresh.column])
      }
      if let old { drawn.receive(old.erasing.utf8) }
      #expect(drawn.lines.isEmpty, "seed \(seed), \(columns) columns")
    }
  }
}
