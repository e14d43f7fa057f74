import StrandlineModels
import StrandlineREPL
import Testing

@Suite struct CommandErrorTests {
  private let source = "list 名前 TodoItm"

  private func unknownEntity() throws -> CommandError {
    let token = try Tokenizer.tokenize(source).tokens[2]
    return CommandError(
      "unknownEntity", "Could not list 'TodoItm', there is no such entity.",
      advice: Suggestion.sentence(for: "TodoItm", among: ["TodoItem", "TodoList"]), at: token)
  }

  @Test func `the mark stands under the word, wide characters counted`() throws {
    #expect(
      try unknownEntity().text(source: source) == """
          list 名前 TodoItm
                    ^~~~~~~
        Could not list 'TodoItm', there is no such entity. Did you mean TodoItem?
        """)
  }

  @Test func `a script names its file and the line inside the command`() throws {
    let error = CommandError(
      "x", "Could not do it, it is wrong.", at: SourcePosition(line: 2, column: 3), length: 4)

    #expect(
      error.text(source: "save A \\\n  done=1", file: "a.txt", firstLine: 7) == """
            done=1
            ^~~~
        a.txt:8: Could not do it, it is wrong.
        """)
  }

  @Test func `a place after the end of the line is marked there`() {
    let error = CommandError("x", "Could not set it, no field is named.", at: .init(column: 5))

    #expect(
      error.text(source: "set") == """
          set
              ^
        Could not set it, no field is named.
        """)
  }

  @Test func `control characters of the command are shown, not sent`() {
    let error = CommandError(
      "x", "Could not list '\u{1B}[2J', no.", at: .init(column: 6), length: 4)

    let text = error.text(source: "list \u{1B}[2J")

    #expect(!text.contains("\u{1B}"))
    #expect(text.hasPrefix("  list ␛[2J\n       ^~~~\n"))
  }

  @Test func `colour encloses the mark and the sentences`() {
    let error = CommandError("x", "No.", at: .init(column: 1))

    #expect(
      error.text(source: "a", style: Style(isColored: true))
        == "  a\n  \u{1B}[31m^\u{1B}[0m\n\u{1B}[31mNo.\u{1B}[0m")
  }

  @Test func `programs get the error as JSON`() throws {
    #expect(
      try unknownEntity().json(firstLine: 3).text
        == #"{"error":{"code":"unknownEntity","message":"Could not list 'TodoItm', there is no such entity.","recovery":"Did you mean TodoItem?","at":{"line":3,"column":9}}}"#
    )
    #expect(
      CommandError("x", "No.").json().text
        == #"{"error":{"code":"x","message":"No.","recovery":null,"at":null}}"#)
  }

  @Test func `another module's error keeps its words and becomes the cause`() {
    let inner = TerminalError("broken", "Could not read it, it broke.", advice: "Mend it.")

    let error = CommandError(inner, exitCode: .store)

    #expect(error.description == inner.description)
    #expect(error.exitCode.number == 3)
    #expect(error.cause is TerminalError)
  }
}

@Suite struct SuggestionTests {
  private let commands = ["save", "set", "list", "status", "sync", "transport", "conflicts"]

  @Test(arguments: [
    ("lsit", "list"), ("statsu", "status"), ("SYNC", "sync"), ("conflict", "conflicts"),
    ("tranpsort", "transport"), ("trans", "transport"),
  ])
  func `slips of the fingers are understood`(word: String, meant: String) {
    #expect(Suggestion.nearest(to: word, among: commands) == meant)
  }

  @Test(arguments: ["", "x", "delete", "zzzz", "sxxc"])
  func `words that mean something else get no suggestion`(word: String) {
    #expect(Suggestion.nearest(to: word, among: commands) == nil)
    #expect(Suggestion.sentence(for: word, among: commands).isEmpty)
  }

  @Test(arguments: [
    ("", "ab", 2), ("ab", "ab", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abcd", "acbd", 1),
  ])
  func `the distance counts insertions, removals, replacements and swaps`(
    left: String, right: String, distance: Int
  ) {
    #expect(Suggestion.distance(left, right, limit: 5) == distance)
    #expect(distance == 0 || Suggestion.distance(left, right, limit: distance - 1) == nil)
  }
}
