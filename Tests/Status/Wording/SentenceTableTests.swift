import Foundation
import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import Testing

/// All that people read of states and errors, against the table in the guide.
@Suite struct SentenceTableTests {
  private static let variable = "STRANDLINE_WRITE_TABLE"
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..").standardized
  private static let table = root.appending(
    path: "Modules/Strandline/Strandline.docc/StatusSentences.md")

  @Test func `the guide shows each sentence as it is`() throws {
    let found = Self.text
    if ProcessInfo.processInfo.environment[Self.variable] != nil {
      try Data(found.utf8).write(to: Self.table)
    }

    let wanted = try String(contentsOf: Self.table, encoding: .utf8)

    let missing = Set(Self.lines(found)).subtracting(Self.lines(wanted)).sorted()
    let stray = Set(Self.lines(wanted)).subtracting(Self.lines(found)).sorted()
    #expect(
      wanted == found,
      "not in the guide: \(missing); there only: \(stray). Write it anew with \(Self.variable)=1.")
  }

  @Test func `each code of each error of the library has a sentence and a recovery`() throws {
    let codes = try Self.codes()

    #expect(codes.count > 70)
    for (domain, code) in codes {
      let sentence = Wording.error(code: code, domain: domain)
      #expect(sentence != nil, "\(domain).\(code) is not in ErrorSentences.swift")
      #expect(sentence?.recovery.isEmpty == false, "\(domain).\(code)")
    }
  }

  @Test func `each activity of the event log has a name`() {
    for kind in EventKind.allCases {
      #expect(Wording.Key(activity: kind.rawValue) != nil, "\(kind.rawValue)")
    }
    #expect(Wording.Key(activity: "") == nil)
  }

  @Test func `no sentence claims that anything is synced, up to date or done in part`() {
    var all = Wording.Key.allCases.flatMap { [$0.sentence.plain, $0.sentence.short] }
    all += Wording.allErrors.flatMap { [$0.sentence.message, $0.sentence.recovery] }

    for sentence in all {
      let words = sentence.lowercased()
      for banned in ["synced", "up to date", "up-to-date", "%", "percent", "you have to", "fault"] {
        #expect(!words.contains(banned), "\(sentence)")
      }
      #expect(!sentence.isEmpty)
    }
    #expect(all.count > 250)
  }

  @Test func `each key has a sentence of its own, a sign and a colour`() {
    let colors = ["gray", "blue", "green", "orange", "red"]
    for key in Wording.Key.allCases {
      #expect(!key.sentence.symbol.isEmpty, "\(key)")
      #expect(colors.contains(key.sentence.color), "\(key)")
      #expect(key == .phaseUnknown || key.sentence.plain != "Syncing", "\(key) has none")
    }
  }

  @Test(arguments: [
    (1, "1 delete from elsewhere waits for your word; the record is still here."),
    (2, "2 deletes from elsewhere wait for your word; the records are still here."),
  ])
  func `numbers agree with their words`(count: Int, sentence: String) {
    #expect(Wording().text(.heldDeletes, count) == sentence)
  }

  @Test func `times are told from now, in both styles`() {
    #expect(RelativeTime.text(1000, now: 3000) == "2 seconds ago")
    #expect(RelativeTime.text(1000, now: 3000, .short) == "2 s ago")
    #expect(RelativeTime.text(0, now: 86_400_000, .short) == "yesterday")
    #expect(RelativeTime.text(0, now: 300_000, .short) == "5 min ago")
  }

  // MARK: The table

  private static var text: String {
    var lines = [
      "# What is said of each state", "",
      "The sentences that people read, by a name that no language changes.", "", "## Overview", "",
      "`{n}` is a number, `{one|many}` is chosen by it, and other names in braces are filled in. A",
      "test makes this page from the table in `Modules/Status/Wording`.", "", "### States", "",
      "| key | plain | short | sign | colour |", "| --- | --- | --- | --- | --- |",
    ]
    lines += Wording.Key.allCases.map { key in
      let sentence = key.sentence
      let cells = [
        "`\(key.rawValue)`", sentence.plain, sentence.short, sentence.symbol, sentence.color,
      ]
      return row(cells)
    }
    lines += [
      "", "### Errors", "",
      "An error's own message says more, such as the name of a file. These name nothing that",
      "anybody chose, and are what a support bundle has.", "",
      "| error | what people read | what to do |", "| --- | --- | --- |",
    ]
    lines += Wording.allErrors.map {
      row(["`\($0.name)`", $0.sentence.message, $0.sentence.recovery])
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }

  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  // MARK: The codes

  /// Every code that the sources name, with the type of its error.
  private static func codes() throws -> [(domain: String, code: String)] {
    var found: [(String, String)] = []
    for folder in ["Modules", "Plugins"] {
      let start = root.appending(path: folder)
      let files = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        let text = try String(contentsOf: file, encoding: .utf8)
        found += codes(in: text)
      }
    }
    return found
  }

  private static func codes(in text: String) -> [(String, String)] {
    let declared = text.firstMatch(of: #/public struct (\w+Error): ExplainedError/#)
    return text.matches(of: #/(\w+\.)?Code\(rawValue: "(\w+)"\)/#).compactMap { match in
      let named = match.1.map { String($0.dropLast()) }
      guard let domain = named ?? declared.map({ String($0.1) }) else { return nil }
      return (domain, String(match.2))
    }
  }
}
