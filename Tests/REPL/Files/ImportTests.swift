import StrandlineModels
import StrandlineREPL
import StrandlineTestSupport
import Testing

@Suite struct CSVReaderTests {
  private func read(
    _ text: String, delimiter: Character? = nil
  ) throws(ImportError) -> ImportContents {
    try ImportReader.read(Array(text.utf8), file: "a.csv", delimiter: delimiter)
  }

  private func values(_ contents: ImportContents) -> [[String?]] {
    contents.rows.map { $0.fields.map(\.value.string) }
  }

  @Test(arguments: ["\n", "\r\n", "\r"])
  func `every kind of line end ends a row`(end: String) throws {
    let text = ["\u{FEFF}name,note", "a,\"two\(end)lines\"", "", "b,", "c,d"].joined(separator: end)

    let contents = try read(text)

    #expect(values(contents) == [["a", "two\(end)lines"], ["b", nil], ["c", "d"]])
    #expect(contents.rows.map(\.line) == [2, 5, 6])
    #expect(contents.rows[0].fields.map(\.name) == ["name", "note"])
    #expect(contents.problems.isEmpty)
  }

  @Test func `quotes are doubled inside quotes and literal elsewhere`() throws {
    let contents = try read("a,b\n\"say \"\"hi\"\", x\",5\" wide\n\"\",\"\"\"\"\n")

    #expect(values(contents) == [["say \"hi\", x", "5\" wide"], ["", "\""]])
  }

  @Test func `a row with too many or too few columns is named and the others are read`() throws {
    let contents = try read("a,b\n1,2\n3\n4,5,6\n7,8\n")

    #expect(values(contents) == [["1", "2"], ["7", "8"]])
    #expect(contents.problemCount == 2)
    #expect(
      contents.problems.map(\.message) == [
        "Could not read 'a.csv' at line 3, the row has 1 column where the first line names 2.",
        "Could not read 'a.csv' at line 4, the row has 3 columns where the first line names 2.",
      ])
  }

  @Test func `no more than a hundred problems are kept but all are counted`() throws {
    let contents = try read("a,b\n" + String(repeating: "1\n", count: 500))

    #expect(contents.problems.count == 100)
    #expect(contents.problemCount == 500)
  }

  @Test func `a quote without an end names the line where it began`() {
    let error = #expect(throws: ImportError.self) { try read("a,b\n1,2\nx,\"open\n3,4\n5,6\n") }

    #expect(error?.codeName == "unterminatedQuote")
    #expect(error?.line == 3)
    #expect(error?.column == 3)
  }

  @Test func `text after a closing quote is an error at its place`() {
    let error = #expect(throws: ImportError.self) { try read("a,b\n1,\"x\"y\n") }

    #expect(error?.line == 2)
    #expect(error?.column == 6)
  }

  @Test(arguments: [
    ("a;b\n1;2", nil), ("a\tb\n1\t2", nil), ("a|b\n1|2", "|" as Character?),
    ("\"x,y\";b\n1;2", ";"),
  ])
  func `other delimiters are found or named`(text: String, delimiter: Character?) throws {
    #expect(values(try read(text, delimiter: delimiter)) == [["1", "2"]])
  }

  @Test func `a comma inside a quoted name does not decide the delimiter`() throws {
    #expect(values(try read("\"x,y\";b\n1;2")) == [["1", "2"]])
  }

  @Test(arguments: [
    ("", "emptyFile"), ("\n\n", "emptyFile"), ("a,,b\n", "unnamedColumn"),
    ("a,b,a\n", "doubleColumn"),
    (String(repeating: ",", count: 5000), "tooManyColumns"),
  ])
  func `a header that names nothing usable is refused`(text: String, code: String) {
    let error = #expect(throws: ImportError.self) { try read(text) }

    #expect(error?.codeName == code)
  }

  @Test func `bytes that are no UTF-8 name their line`() {
    let bytes = Array("a\nok\n".utf8) + [0xE9, 0x0A]

    let error = #expect(throws: ImportError.self) {
      try ImportReader.read(bytes, file: "a.csv")
    }
    let wide = #expect(throws: ImportError.self) {
      try ImportReader.read([0xFF, 0xFE, 0x61, 0x00], file: "a.csv")
    }

    #expect(error?.line == 3)
    #expect(wide?.reason == "it is UTF-16")
  }

  @Test func `damaged files end in an error or in rows, never in a crash`() throws {
    let seed = SeededGenerator.seed()
    var random = SeededGenerator(seed: seed)
    let pieces = ["\"", ",", "\n", "\r", "a", "名", ";", "\"\"", "\r\n", " "]
    for _ in 0..<500 {
      let count = Int.random(in: 0...40, using: &random)
      let text = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      do {
        let contents = try read("a,b\n" + text)
        #expect(contents.rows.allSatisfy { $0.fields.count == 2 }, "seed \(seed)")
      } catch {
        #expect(error.line != nil, "seed \(seed)")
      }
    }
  }
}

@Suite struct JSONReaderTests {
  private func read(
    _ text: String, file: String = "a.json"
  ) throws(ImportError) -> ImportContents {
    try ImportReader.read(Array(text.utf8), file: file)
  }

  @Test func `an array of objects gives rows with the lines where they begin`() throws {
    let contents = try read(
      """
      [
        {"name": "a [\\"{", "tags": [1, [2]]}, {"name": "b"},
        3,

        {
          "name": null
        }
      ]
      """)

    #expect(contents.rows.map(\.line) == [2, 2, 5])
    #expect(contents.rows[0].fields.map(\.name) == ["name", "tags"])
    #expect(contents.rows[2]["name"] == .null)
    #expect(contents.problems.map(\.line) == [3])
  }

  @Test func `an object whose only member is an array gives its rows`() throws {
    let contents = try read("{\"3166-2\": [\n{\"code\": \"AD-02\"},\n{\"code\": \"AD-03\"}\n]}")

    #expect(contents.rows.map(\.line) == [2, 3])
    #expect(contents.rows[1]["code"] == .string("AD-03"))
  }

  @Test(arguments: ["{}", "{\"a\": 1}", "{\"a\": [], \"b\": []}", "3"])
  func `other JSON holds no rows`(text: String) {
    let error = #expect(throws: ImportError.self) { try read(text) }

    #expect(error?.codeName == "notRows")
  }

  @Test func `broken JSON names line and column`() {
    let error = #expect(throws: ImportError.self) { try read("[\n{\"a\": 1},\n{\"a\" 2}\n]") }

    #expect(
      error?.message
        == "Could not read 'a.json' at line 3, column 6, a colon is expected after the name.")
  }

  @Test func `lines are read one by one and broken ones are named`() throws {
    let contents = try read("{\"a\": 1}\n\n{\"a\": \n[1]\r\n{\"a\": 2}\r\n", file: "a.jsonl")

    #expect(contents.rows.map(\.line) == [1, 5])
    #expect(contents.problems.map(\.line) == [3, 4])
  }

  @Test(arguments: [
    ("[{\"a\":1}]", 1), ("{\"a\":1}\n{\"a\":2}\n", 2), ("{\"rows\":[{\"a\":1}]}", 1),
    ("{\n\"rows\":[{\"a\":1}]}", 1), ("a,b\n1,2\n", 1),
  ])
  func `without a telling name the contents tell the format`(text: String, count: Int) throws {
    #expect(try read(text, file: "rows").rows.count == count)
  }
}

@Suite struct ExportTests {
  private let rows = [
    ImportRow(line: 1, fields: [.init("name", .string("a,b")), .init("count", .integer(3))]),
    ImportRow(line: 2, fields: [.init("name", .null), .init("done", .bool(true))]),
  ]

  @Test(arguments: TableFormat.allCases)
  func `what is written is read again`(format: TableFormat) throws {
    let folder = try TemporaryFolder()
    let path = folder.path("rows.\(format.rawValue)")

    try ExportWriter.write(rows, to: path)
    let contents = try ImportReader.read(path)

    if format == .csv {
      #expect(try folder.read("rows.csv") == "name,count,done\r\n\"a,b\",3,\r\n,,true\r\n")
      #expect(contents.rows.count == 2)
    } else {
      #expect(contents.rows.map(\.fields) == rows.map(\.fields))
    }
  }

  @Test func `null and empty text are told apart in CSV both ways`() throws {
    let text = [
      ImportRow(line: 1, fields: [.init("a", .string("")), .init("b", .null)]),
      ImportRow(line: 2, fields: [.init("a", .null), .init("b", .string(""))]),
    ]

    let written = ExportWriter.text(text, format: .csv)
    let read = try ImportReader.read(Array(written.utf8), file: "rows.csv")

    #expect(written == "a,b\r\n\"\",\r\n,\"\"\r\n")
    #expect(read.rows.map(\.fields) == text.map(\.fields))
  }

  @Test func `a delimiter that was named is written and quoted inside values`() throws {
    let folder = try TemporaryFolder()

    try ExportWriter.write(rows, to: folder.path("rows.csv"), delimiter: ";")

    #expect(try folder.read("rows.csv") == "name;count;done\r\na,b;3;\r\n;;true\r\n")
  }

  @Test func `tabs separate the values of a .tsv file both ways`() throws {
    let folder = try TemporaryFolder()

    try ExportWriter.write(rows, to: folder.path("rows.tsv"), format: .csv)

    #expect(try folder.read("rows.tsv").hasPrefix("name\tcount\tdone\r\na,b\t3\t\r\n"))
    #expect(try ImportReader.read(folder.path("rows.tsv")).rows[0]["name"] == .string("a,b"))
  }

  @Test func `files that cannot be used say why`() throws {
    let folder = try TemporaryFolder()

    let unknown = #expect(throws: ImportError.self) {
      try ExportWriter.write(rows, to: folder.path("rows.xls"))
    }
    let missing = #expect(throws: ImportError.self) {
      try ExportWriter.write(rows, to: folder.path("no/rows.csv"))
    }
    let absent = #expect(throws: ImportError.self) {
      try ImportReader.read(folder.path("none.csv"))
    }

    #expect(unknown?.codeName == "unknownFormat")
    #expect(missing?.message.hasPrefix("Could not write '") == true)
    #expect(absent?.message.hasSuffix("none.csv', no such file or directory.") == true)
  }
}
