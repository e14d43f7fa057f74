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

  @Test func `random lines survive random prints`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    for columns in [20, 33, 40] {
      try await EditorSession.run(columns: columns, rows: 30) { session in
        var random = SeededGenerator(seed: seed &+ UInt64(columns))
        for round in 0..<12 {
          try Self.disturb(session, round, &random, "seed \(seed), \(columns) columns")
        }
      }
    }
  }

  /// Types a random line, moves the cursor, prints, and compares the rows of the line.
  private static func disturb(
    _ session: EditorSession, _ round: Int, _ random: inout SeededGenerator, _ seed: String
  ) throws {
    // libedit does not draw combining marks again, so there are none here.
    let pieces = ["a", "b", " ", "名", "前", "é", "漢", "-", "한"]
    let count = Int.random(in: 1...70, using: &random)
    let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
    let left = Int.random(in: 0...text.unicodeScalars.count, using: &random)
    session.type("[" + text + "]" + String(repeating: "\u{2}", count: left))
    let letters = VirtualScreen.letters("[" + text + "]")
    try session.wait("the line \(text), \(seed)") { $0.letters.contains(letters) }
    session.command("print settle \(round)")
    try session.wait("the first print, \(seed)") {
      VirtualScreen.letters(block(of: $0, after: "settle \(round)")?.joined() ?? "")
        == "名>" + letters
    }
    try session.wait("the cursor at its place, \(seed)") { screen in
      cursor(of: screen) == expectedCursor(text, left: left, columns: screen.columns)
    }
    let before = block(of: session.screen, after: "settle \(round)")
    let place = cursor(of: session.screen)

    session.command("print again \(round)")
    try session.wait("the line after printing, \(seed)") { screen in
      block(of: screen, after: "again \(round)") == before && cursor(of: screen) == place
    }
    session.type("\u{5}\u{15}")
    try session.wait("an empty line, \(seed)") { $0.lines.last == "名>" }
  }

  /// The rows below a printed line.
  private static func block(of screen: VirtualScreen, after text: String) -> [String]? {
    screen.lines.firstIndex(of: text).map { Array(screen.lines[($0 + 1)...]) }
  }

  /// The cursor counted from the row of the prompt.
  private static func cursor(of screen: VirtualScreen) -> [Int] {
    let first = screen.lines.lastIndex { $0.hasPrefix("名> ") } ?? 0
    return [screen.row - first, screen.column]
  }

  private static func expectedCursor(_ text: String, left: Int, columns: Int) -> [Int] {
    let line = Array(("[" + text + "]").unicodeScalars)
    let places = EditorLayout.places(
      prompt: "名> ", line: line, cursor: line.count - left, columns: columns)
    return [places.cursorRow, places.cursorColumn]
  }
}
