import Foundation
import StrandlineREPL
import StrandlineTestSupport
import Testing

@Suite struct DisplayWidthTests {
  @Test(arguments: [
    ("abc", 3), ("", 0), ("名前", 4), ("é", 1), ("e\u{301}", 1), ("ｱ", 1), ("Ａ", 2), ("👍", 2),
    ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("\u{200B}", 0), ("한글", 4), ("…", 1),
  ])
  func `columns are those of a terminal`(text: String, columns: Int) {
    #expect(DisplayWidth.of(text) == columns)
  }

  @Test(arguments: [
    ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("名前名前", 6, "名前…"),
    ("名前名前", 5, "名前…"), ("名前", 1, "…"), ("名前", 0, ""), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `cut text never takes more columns than it may`(text: String, columns: Int, cut: String) {
    #expect(DisplayWidth.cut(text, to: columns) == cut)
    #expect(DisplayWidth.of(cut) <= columns)
  }

  @Test func `padding counts columns, not characters`() {
    #expect(DisplayWidth.pad("名", to: 4) == "名  ")
    #expect(DisplayWidth.pad("7", to: 3, onLeft: true) == "  7")
    #expect(DisplayWidth.pad("long", to: 2) == "long")
  }
}

@Suite struct ControlCharactersTests {
  @Test(arguments: [
    ("plain 名", "plain 名"), ("\u{1B}[2J", "␛[2J"), ("a\nb\tc", "a⏎b⇥c"), ("\r\n", "␍⏎"),
    ("\u{7F}\u{9B}31m", "␡\\u{9B}31m"), ("a\u{202E}b", "a\\u{202E}b"), ("\u{2028}", "\\u{2028}"),
    ("\0", "␀"), ("👩‍👩‍👧", "👩‍👩‍👧"),
  ])
  func `what acts on a terminal is shown`(text: String, shown: String) {
    #expect(ControlCharacters.visible(text) == shown)
  }

  @Test func `newlines may stay`() {
    #expect(ControlCharacters.visible("a\nb\u{1B}", keepsNewlines: true) == "a\nb␛")
  }
}

@Suite struct StyleTests {
  @Test(arguments: [
    (ColorChoice.auto, true, ["TERM": "xterm"], true),
    (.auto, false, ["TERM": "xterm"], false),
    (.auto, true, ["TERM": "xterm", "NO_COLOR": "1"], false),
    (.auto, true, ["TERM": "xterm", "NO_COLOR": ""], true),
    (.auto, true, ["TERM": "dumb"], false),
    (.auto, true, [:], false),
    (.always, false, ["NO_COLOR": "1"], true),
    (.never, true, ["TERM": "xterm"], false),
  ])
  func `colour follows the option, the stream and the environment`(
    choice: ColorChoice, isTerminal: Bool, environment: [String: String], isColored: Bool
  ) {
    let style = Style(choice, isTerminal: isTerminal, environment: environment)

    #expect(style.isColored == isColored)
    #expect(style.error("x") == (isColored ? "\u{1B}[31mx\u{1B}[0m" : "x"))
  }
}

@Suite struct StandardStreamsTests {
  @Test func `captured streams keep data and notes apart`() {
    let streams = StandardStreams.captured()

    streams.writeLine("data")
    streams.note("note")

    #expect(streams.capturedOutput == "data\n")
    #expect(streams.capturedErrors == "note\n")
    #expect(streams.columns == nil)
  }

  @Test func `a reader that went away is noticed and nothing is thrown`() throws {
    let pipe = Pipe()
    let writeEnd = pipe.fileHandleForWriting.fileDescriptor
    let streams = StandardStreams(output: writeEnd, error: writeEnd)
    streams.write("read")
    #expect(!streams.isBroken)

    try pipe.fileHandleForReading.close()
    streams.write("lost")

    #expect(streams.isBroken)
    #expect(streams.takeFailure() == nil)
  }

  @Test func `data that a full disk does not take is a failure, told once`() throws {
    let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
    let streams = StandardStreams(output: full.fileDescriptor, error: full.fileDescriptor)

    streams.write("lost")

    #expect(!streams.isBroken)
    #expect(streams.takeFailure()?.message.hasPrefix("Could not write the output, ") == true)
    #expect(streams.takeFailure() == nil)
  }

  @Test func `data can go to a file and back`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out.txt")
    let streams = StandardStreams.captured()

    try streams.redirect(to: path)
    streams.write("in the file\n")
    streams.note("not in the file")
    try streams.redirect(to: nil)
    streams.write("back")

    #expect(try folder.read("out.txt") == "in the file\n")
    #expect(streams.capturedOutput == "back")
    #expect(throws: TerminalError.self) { try streams.redirect(to: folder.path("no/such/file")) }
  }
}
