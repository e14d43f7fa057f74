import Foundation
import StrandlineREPL
import Testing

@Suite(.serialized) struct PrintAboveTests {
  @Test func `a wrapped line with wide characters stays as it was, and its cursor too`()
    async throws
  {
    try await EditorSession.run { session in
      let text = "hello 名前 world, a long line that wraps over rows 漢字漢字"
      try session.typeAndSee(text)
      session.type("\u{1B}[D\u{1B}[D\u{1B}[D")
      try session.wait("the cursor three to the left") { $0.row == 1 && $0.column == 17 }
      let before = session.screen

      session.command("print an event 漢字")
      try session.waitForText("an event")
      try session.wait("the line drawn") { $0.row == 2 && $0.column == 17 }

      #expect(session.screen.lines == ["an event 漢字"] + before.lines)
      session.type("X\r")
      try session.wait("the line with X") {
        $0.letters.contains("got[hello名前world,alonglinethatwrapsoverrows漢X字漢字]")
      }
    }
  }

  @Test func `the prompt changes while the line stays`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("half a line")
      session.type("\u{1B}[D\u{1B}[D")
      try session.wait("the cursor two to the left") { $0.column == 13 }
      session.command("prompt \u{1B}[32mphone 3↑>\u{1B}[0m")

      try session.wait("the new prompt") {
        $0.lines == ["phone 3↑> half a line"] && $0.column == 19
      }
    }
  }

  @Test func `text longer than a row and of several lines is printed whole`() async throws {
    try await EditorSession.run(columns: 20) { session in
      try session.typeAndSee("typed")
      session.command("print " + String(repeating: "0123456789", count: 3))
      session.command("print last")

      try session.wait("everything") {
        $0.lines == ["01234567890123456789", "0123456789", "last", "名> typed"] && $0.column == 9
      }
    }
  }

  @Test func `a burst of prints arrives whole and in order`() async throws {
    try await EditorSession.run { session in
      try session.typeAndSee("typed")
      for number in 0..<200 { session.command("print event \(number)") }

      let last = (186..<200).map { "event \($0)" } + ["名> typed"]
      try session.wait("the last events") { $0.lines.suffix(15) == last[...] && $0.column == 9 }
    }
  }

  @Test func `a dumb terminal shows the print and then the line again`() async throws {
    try await EditorSession.run(environment: ["TERM": "dumb"]) { session in
      #expect(!session.screen.marksPastes)
      try session.typeAndSee("typed")
      session.command("print event")
      try session.wait("the line below") { $0.lines.suffix(2) == ["event", "名> typed"] }

      session.type("\u{3}")
      try session.waitForText("interrupted [typed]")
      session.type("next\r")
      try session.waitForPrompt(after: "got [next]")
    }
  }

  @Test func `Ctrl-L clears the screen and keeps the line`() async throws {
    try await EditorSession.run { session in
      session.type("first\r")
      try session.waitForPrompt(after: "got [first]")
      session.type("half\u{C}")
      try session.wait("the line alone") { $0.lines == ["名> half"] && $0.column == 8 }
    }
  }

  @Test func `a resized terminal shows the line again`() async throws {
    try await EditorSession.run(columns: 30) { session in
      let text = "a line that wraps over two rows here"
      try session.typeAndSee(text)
      session.resize(columns: 60)
      try session.wait("the line in one row") { $0.lines.contains("名> " + text) }

      session.type("!\r")
      try session.waitForText("got [\(text)!]")
    }
  }

  @Test func `random edits of wide lines look as they should, with prints between them`()
    async throws
  {
    let seed = SeededGenerator.seed()
    for columns in [20, 33, 40] {
      try await EditorSession.run(columns: columns, rows: 30) { session in
        var random = SeededGenerator(seed: seed &+ UInt64(columns))
        var line = TypedLine()
        for round in 0..<60 {
          let burst = Int.random(in: 1...6, using: &random)
          session.type((0..<burst).map { _ in line.edit(&random) }.joined())
          if Bool.random(using: &random) { session.command("print event \(round)") }
          let expected = line.drawn(columns: columns)
          try session.wait("\(expected.text) of round \(round), seed \(seed)") { screen in
            Self.block(of: screen) == expected.lines && Self.cursor(of: screen) == expected.cursor
          }
        }
      }
    }
  }

  private static let prompt = "名> "

  /// The rows of the prompt and the line.
  private static func block(of screen: VirtualScreen) -> [String] {
    screen.lines.lastIndex { $0.hasPrefix("名>") }.map { Array(screen.lines[$0...]) } ?? []
  }

  /// The cursor counted from the row of the prompt.
  private static func cursor(of screen: VirtualScreen) -> [Int] {
    let first = screen.lines.lastIndex { $0.hasPrefix("名>") } ?? 0
    return [screen.row - first, screen.column]
  }

  /// What a line must hold after keys, told without an editor.
  private struct TypedLine {
    private static let pieces: [Unicode.Scalar] = ["a", "b", " ", "名", "前", "é", "漢", "-", "한"]
    private var scalars: [Unicode.Scalar] = ["["]
    private var cursor = 1
    private var isTyped = false

    /// Makes a random edit and returns its keys.
    mutating func edit(_ random: inout SeededGenerator) -> String {
      guard isTyped else {
        isTyped = true
        return "["
      }
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return key("\u{1}", cursor: 0)
      case 1: return key("\u{5}", cursor: scalars.count)
      case 2, 3:
        let count = Int.random(in: 1...30, using: &random)
        return String(repeating: key("\u{2}", cursor: max(0, cursor - count)), count: count)
      case 4 where cursor > 0:
        cursor -= 1
        scalars.remove(at: cursor)
        return "\u{7F}"
      case 5 where cursor < scalars.count:
        scalars.remove(at: cursor)
        return "\u{1B}[3~"
      default: return insert(&random)
      }
    }

    private mutating func key(_ key: String, cursor new: Int) -> String {
      cursor = new
      return key
    }

    private mutating func insert(_ random: inout SeededGenerator) -> String {
      let room = 150 - scalars.count
      let count = min(room, Int.random(in: 1...12, using: &random))
      guard count > 0 else { return "" }
      let new = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "a" }
      scalars.insert(contentsOf: new, at: cursor)
      cursor += count
      return String(String.UnicodeScalarView(new))
    }

    /// The line as a terminal shows it that gets it in one piece.
    func drawn(columns: Int) -> (text: String, lines: [String], cursor: [Int]) {
      let text = String(String.UnicodeScalarView(scalars))
      var screen = VirtualScreen(columns: columns, rows: 30)
      screen.receive((prompt + text).utf8)
      let picture = EditorPicture(
        prompt: PromptText(prompt), line: scalars, cursor: cursor, columns: columns, rows: 30)
      return (text, screen.lines, [picture.cursorRow, picture.cursorColumn])
    }
  }
}
