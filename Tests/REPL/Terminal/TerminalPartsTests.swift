import Foundation
import StrandlineREPL
import StrandlineTestSupport
import Testing

@Suite struct HistoryFileTests {
  @Test func `two writers merge and every entry comes back`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.url.appendingPathComponent("state/history")
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<2 {
        group.addTask {
          let file = HistoryFile(path)
          for entry in 0..<100 {
            do {
              try file.append("writer \(writer) entry \(entry)")
            } catch {
              Issue.record(error)
            }
          }
        }
      }
    }

    let entries = try HistoryFile(path).load()

    for writer in 0..<2 {
      let own = entries.filter { $0.hasPrefix("writer \(writer) ") }
      #expect(own == (0..<100).map { "writer \(writer) entry \($0)" })
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: ["one\ntwo", "back\\slash \\n", "carriage\r\nreturn", "名前 \u{1B}[A", "\\"])
  func `any text comes back as it was`(entry: String) throws {
    let folder = try TemporaryFolder()
    let file = HistoryFile(folder.url.appendingPathComponent("history"))

    try file.append("before")
    try file.append(entry)
    try file.append("after")

    #expect(try file.load() == ["before", entry, "after"])
  }

  @Test func `a file that is not there has no entries`() throws {
    let folder = try TemporaryFolder()

    #expect(try HistoryFile(folder.url.appendingPathComponent("none")).load().isEmpty)
  }

  @Test func `half a line of a killed writer harms nobody else's`() throws {
    let folder = try TemporaryFolder()
    try folder.write("whole\nhal", to: "history")
    let file = HistoryFile(folder.url.appendingPathComponent("history"))

    try file.append("next")

    #expect(try file.load() == ["whole", "hal", "next"])
  }

  @Test func `a long file is cut to its newest entries`() throws {
    let folder = try TemporaryFolder()
    let file = HistoryFile(folder.url.appendingPathComponent("history"), limit: 10)
    for entry in 0..<25 { try file.append("entry \(entry)") }

    #expect(try file.load() == (15..<25).map { "entry \($0)" })
    #expect(try folder.read("history").split(separator: "\n").count == 10)
    try file.append("later")
    #expect(try file.load().last == "later")
  }

  @Test func `damaged bytes are read as text`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("history")
    try Data([0xFF, 0x61, 0x00, 0x0A, 0x0A, 0x5C]).write(to: url)

    #expect(try HistoryFile(url).load() == ["\u{FFFD}a", "\\"])
  }

  @Test func `a place that cannot be written is an error with advice`() {
    let file = HistoryFile(URL(fileURLWithPath: "/proc/none/history"))

    let error = #expect(throws: TerminalError.self) { try file.append("x") }

    #expect(error?.message.hasPrefix("Could not make the folder of the history file") == true)
    #expect(error?.advice.isEmpty == false)
  }

  @Test(arguments: [
    ("list", nil, true), ("list", "list" as String?, false), (" secret", nil, false),
    ("", nil, false), ("\t\n", nil, false), ("a\nb", "a", true),
  ])
  func `what is kept`(line: String, previous: String?, isKept: Bool) {
    #expect(HistoryFile.keeps(line, after: previous) == isKept)
  }
}

@Suite struct ScalarDecoderTests {
  @Test func `random text survives in single bytes`() {
    let seed = SeededGenerator.seed()
    var random = SeededGenerator(seed: seed)
    let text = String(
      String.UnicodeScalarView(
        (0..<5000).compactMap { _ in
          let limit: UInt32 = [0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement(using: &random) ?? 1
          return Unicode.Scalar(UInt32.random(in: 1...limit, using: &random))
        }))
    var decoder = ScalarDecoder()

    let decoded = text.utf8.flatMap { decoder.decode($0) }

    #expect(decoded == Array(text.unicodeScalars), "seed \(seed)")
  }

  @Test(
    arguments: [
      ([0xC3, 0x41], "\u{FFFD}A"), ([0xE4, 0xBA, 0xC3, 0xA9], "\u{FFFD}é"), ([0x80], "\u{FFFD}"),
      ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"), ([0xED, 0xA0, 0x80], "\u{FFFD}"),
      ([0xE0, 0x80, 0x80], "\u{FFFD}"), ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}"),
      ([0xFF, 0x61], "\u{FFFD}a"),
    ] as [([UInt8], String)])
  func `what is no UTF-8 is replaced and what follows is kept`(bytes: [UInt8], text: String) {
    var decoder = ScalarDecoder()

    #expect(bytes.flatMap { decoder.decode($0) } == Array(text.unicodeScalars))
  }
}

@Suite struct PromptTextTests {
  @Test func `colour sequences take no room and none ends the prompt`() {
    let prompt = PromptText("\u{1B}[32mphone>\u{1B}[0m ")
    let ending = PromptText("phone> \u{1B}[0m")

    #expect(prompt.visible == "phone> ")
    #expect(prompt.marked == "\u{1}\u{1B}[32m\u{1}phone>\u{1}\u{1B}[0m\u{1} ")
    #expect(ending.marked == "phone>\u{1}\u{1B}[0m\u{1} ")
  }

  @Test func `other control characters are shown`() {
    #expect(PromptText("a\u{1B}[2J\u{1}> ").visible == "a␛[2J␁> ")
    #expect(PromptText("名↑> ", unicode: false).visible == "??> ")
  }
}

@Suite struct CompletionTests {
  @Test func `candidates stand in columns down and then across`() {
    let names = ["a", "bb", "ccc", "名前", "e"].map { Completion.Candidate($0) }

    #expect(CompletionList.text(names, columns: 16, rows: 24) == "a     名前\nbb    e\nccc\n")
  }

  @Test func `candidates with notes have a row each, and long lists are cut`() {
    let names = (1...9).map { Completion.Candidate("#\($0)", note: "Buy milk\n\($0)") }

    let text = CompletionList.text(names, columns: 12, rows: 6)

    #expect(
      text == """
        #1  Buy mi…
        #2  Buy mi…
        #3  Buy mi…
        … 6 more lines; type more of the word to narrow the list

        """)
  }

  @Test func `the common beginning ends at a whole character`() {
    let completion = Completion(
      candidates: [.init("e\u{301}a"), .init("e\u{300}a")], range: 0..<0)

    #expect(completion.commonPrefix.isEmpty)
    #expect(Completion.none.commonPrefix.isEmpty)
  }
}
