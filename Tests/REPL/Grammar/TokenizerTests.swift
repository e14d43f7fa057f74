import StrandlineREPL
import Testing

@Suite struct TokenizerTests {
  @Test func `words, assignments, references, files and options are told apart`() throws {
    let command = try Tokenizer.tokenize(
      "save TodoItem name=\"Buy milk\" list=#12 photo=@a.png --yes")

    #expect(command.tokens.map(\.column) == [1, 6, 15, 31, 40, 53])
    #expect(command.tokens[0].kind == .word)
    guard case .assignment(let name, let value) = command.tokens[2].kind else {
      Issue.record("no assignment")
      return
    }
    #expect(name == "name")
    #expect(value.text == "Buy milk")
    #expect(value.isQuoted)
    #expect(value.column == 20)
    guard case .assignment("list", let list) = command.tokens[3].kind,
      case .assignment("photo", let photo) = command.tokens[4].kind
    else {
      Issue.record("no assignments")
      return
    }
    #expect(list.kind == .reference("12"))
    #expect(photo.kind == .file("a.png"))
    #expect(command.tokens[5].kind == .option(name: "yes", value: nil))
  }

  @Test func `double quotes have escapes and single quotes only their doubling`() throws {
    let tokens = try Tokenizer.tokenize(
      #""a \"b\" \\ \n\t \d" 'it''s \n' "say ""hi""""#
    ).tokens

    #expect(tokens.map(\.text) == ["a \"b\" \\ \n\t \\d", #"it's \n"#, "say \"hi\""])
    #expect(tokens.map(\.isQuoted) == [true, true, true])
    #expect(tokens[1].raw == #"'it''s \n'"#)
  }

  @Test func `an apostrophe inside a word opens nothing`() throws {
    let tokens = try Tokenizer.tokenize("save X name=don't 5\"").tokens

    #expect(tokens.map(\.text) == ["save", "X", "name=don't", "5\""])
  }

  @Test func `quotes that do not span the word leave it a plain word`() throws {
    let tokens = try Tokenizer.tokenize(#""a"b"c" ="#).tokens

    #expect(tokens.map(\.text) == ["ab\"c\"", "="])
    #expect(tokens.map(\.isQuoted) == [false, false])
  }

  @Test func `an empty value is empty text, quoted or not`() throws {
    let tokens = try Tokenizer.tokenize(#"a= b="""#).tokens

    guard case .assignment(_, let a) = tokens[0].kind, case .assignment(_, let b) = tokens[1].kind
    else {
      Issue.record("no assignments")
      return
    }
    #expect(a.text.isEmpty && !a.isQuoted)
    #expect(b.text.isEmpty && b.isQuoted)
  }

  @Test func `comparisons are no assignments`() throws {
    let tokens = try Tokenizer.tokenize("a>=1 1=1 'x'=2").tokens

    #expect(tokens.allSatisfy { $0.kind == .word })
  }

  @Test func `the rest of a command stays as it was typed`() throws {
    let command = try Tokenizer.tokenize("list  TodoItem where  name = 'it''s  two'  limit 3 ")

    #expect(command.text(from: 3) == "name = 'it''s  two'  limit 3")
    let limit = command.tokens.count - 2
    let condition = command.tokens[3].range.lowerBound..<command.tokens[limit].range.lowerBound
    #expect(command.text(condition) == "name = 'it''s  two'")
    #expect(command.text(from: 99).isEmpty)
  }

  @Test func `a backslash at the end of a line joins lines and positions count them`() throws {
    let command = try Tokenizer.tokenize("save A \\\n  name=名前 \\\n  done=true")

    #expect(command.tokens.map(\.text) == ["save", "A", "name=名前", "done=true"])
    #expect(command.tokens[3].position == SourcePosition(line: 3, column: 3))
    #expect(command.end == SourcePosition(line: 3, column: 13))
  }

  @Test func `columns count characters, not bytes`() throws {
    let tokens = try Tokenizer.tokenize("👩‍👩‍👧 é word").tokens

    #expect(tokens.map(\.column) == [1, 3, 5])
  }

  @Test func `comments are skipped at the beginning of a line only`() throws {
    #expect(try Tokenizer.tokenize("# a 'comment").isEmpty)
    #expect(try Tokenizer.tokenize("  -- a comment").isEmpty)
    #expect(try Tokenizer.tokenize("show #3 -- x").tokens.count == 4)
    #expect(try Tokenizer.tokenize("#3").tokens.map(\.kind) == [.reference("3")])
  }

  @Test(arguments: [("say \"hi", 1, 5), ("a \\\n 'b", 2, 2), ("name='x", 1, 6)])
  func `a quote without an end is an error at the quote`(
    source: String, line: Int, column: Int
  ) {
    let error = #expect(throws: CommandError.self) { try Tokenizer.tokenize(source) }

    #expect(error?.codeName == "unterminatedQuote")
    #expect(error?.position == SourcePosition(line: line, column: column))
    #expect(error?.exitCode == .usage)
  }

  @Test func `arguments of a program are words as they are`() {
    let command = Tokenizer.words(["save", "A", "name=Buy \"milk\" it's", "--wait=5", "#3"])

    #expect(command.tokens.map(\.column) == [1, 6, 8, 29, 38])
    guard case .assignment("name", let value) = command.tokens[2].kind,
      case .option("wait", let seconds) = command.tokens[3].kind
    else {
      Issue.record("no assignment or option")
      return
    }
    #expect(value.text == "Buy \"milk\" it's")
    #expect(value.column == 13)
    #expect(seconds?.text == "5")
    #expect(command.tokens[4].kind == .reference("3"))
  }

  @Test func `keywords are known in any case but not in quotes`() throws {
    let tokens = try Tokenizer.tokenize("WHERE 'where' Where").tokens

    #expect(tokens.map { $0.isKeyword("where") } == [true, false, true])
  }
}

@Suite struct CommandBlocksTests {
  @Test(arguments: [
    ("save A name=\"x", true), ("save A \\", true), ("save A", false), ("a \\\\", false),
    ("a 'b\nc'", false), ("", false),
  ])
  func `an open quote or a backslash asks for more`(text: String, needsMore: Bool) {
    #expect(CommandBlocks.needsMore(text) == needsMore)
  }

  @Test func `a script is cut at line ends outside of quotes`() {
    let script = "# setup\nsave A x=1\r\n\nsave B \\\n  y='two\nlines'\nlist A"

    let blocks = CommandBlocks.split(script)

    #expect(blocks.map(\.line) == [2, 4, 7])
    #expect(blocks.map(\.text) == ["save A x=1", "save B \\\n  y='two\nlines'", "list A"])
  }

  @Test func `a quote that never closes still ends`() {
    let script = "list A\nsave 'x\n" + String(repeating: "line\n", count: 2000)

    let blocks = CommandBlocks.split(script)

    #expect(blocks[1].line == 2)
    #expect(throws: CommandError.self) { try Tokenizer.tokenize(blocks[1].text) }
  }
}
