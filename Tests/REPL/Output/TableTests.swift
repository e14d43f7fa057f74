import StrandlineModels
import StrandlineREPL
import Testing

@Suite struct ResultTableTests {
  private let table = ResultTable(
    columns: ["id", "name", "count", "done"],
    rows: [
      [.string("0192ab"), .string("Buy milk"), .integer(3), .bool(false)],
      [.string("0192cd"), .string("牛乳を買う"), .integer(12), .bool(true)],
      [.string("0192ef"), .string("two\nlines \u{1B}[2J"), .null, .null],
    ])

  @Test func `a table is as wide as its values`() {
    #expect(
      table.text(.table) == """
        id      name            count  done
        ──────  ──────────────  ─────  ─────
        0192ab  Buy milk            3  false
        0192cd  牛乳を買う         12  true
        0192ef  two⏎lines ␛[2J

        """)
  }

  @Test func `the widest column gives way and is cut`() {
    #expect(
      table.text(.table, width: 32) == """
        id      name        count  done
        ──────  ──────────  ─────  ─────
        0192ab  Buy milk        3  false
        0192cd  牛乳を買う     12  true
        0192ef  two⏎lines…

        """)
  }

  @Test func `no line is wider than the terminal`() {
    for width in 10...60 {
      let text = table.text(.table, width: width)
      let lines = text.split(separator: "\n").map(String.init)
      if lines.first?.hasPrefix("id ") == true {
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= width }, "width \(width)")
      }
    }
  }

  @Test func `columns that cannot fit become lines`() {
    #expect(table.text(.table, width: 12) == table.text(.line))
    #expect(
      table.text(.line).hasPrefix(
        """
           id = 0192ab
         name = Buy milk
        count = 3
         done = false

           id = 0192cd

        """))
    #expect(table.text(.line).hasSuffix("count =\n done =\n"))
  }

  @Test func `csv quotes what needs quotes`() {
    let table = ResultTable(
      columns: ["a", "b"], rows: [["x,y", "say \"hi\""], ["two\nlines", " space"], ["", "=1+1"]])

    #expect(
      table.text(.csv)
        == "a,b\r\n\"x,y\",\"say \"\"hi\"\"\"\r\n\"two\nlines\",\" space\"\r\n,=1+1\r\n")
    #expect(CSVText.row(["=1+1", "-5", "@a"], isSpreadsheetSafe: true) == "'=1+1,-5,'@a\r\n")
    #expect(CSVText.row([""]) == "\"\"\r\n")
  }

  @Test func `json keeps the kinds of values`() {
    let short = ResultTable(columns: ["n", "s"], rows: [[.integer(1), .null], [.number(1.5)]])

    #expect(short.text(.jsonl) == "{\"n\":1,\"s\":null}\n{\"n\":1.5,\"s\":null}\n")
    #expect(short.text(.json) == "[{\"n\":1,\"s\":null},\n {\"n\":1.5,\"s\":null}]\n")
    #expect(ResultTable(columns: ["n"], rows: [[String]]()).text(.json) == "[]\n")
  }

  @Test func `markdown escapes bars and breaks lines`() {
    let table = ResultTable(columns: ["a", "b"], rows: [["x|y", "two\nlines"]])

    #expect(
      table.text(.markdown) == """
        | a | b |
        | --- | --- |
        | x\\|y | two<br>lines |

        """)
  }
}
