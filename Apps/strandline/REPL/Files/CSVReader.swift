import StrandlineModels
import StrandlineStatus

/// Reads comma-separated values as RFC 4180 has them and as spreadsheets write them.
///
/// Lines end with CRLF, LF or CR; a quoted field may hold any of them, and they stay as they are.
/// A quote inside an unquoted field is just a character. Blank lines are skipped. Where nothing
/// stands between two delimiters there is no value; quotes with nothing inside are empty text.
struct CSVReader {
  private static let columnsLimit = 2000
  private static let quote = UInt8(ascii: "\"")
  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private let file: String
  private let bytes: [UInt8]
  private let delimiter: UInt8
  private var index = 0
  private var line = 1

  /// Takes text that is valid UTF-8, without a byte order mark.
  init(_ bytes: [UInt8], file: String, delimiter: UInt8?) {
    self.bytes = bytes
    self.file = file
    self.delimiter = delimiter ?? Self.guessDelimiter(bytes)
  }

  mutating func read() throws(ImportError) -> ImportContents {
    var contents = ImportContents()
    guard let header = try record() else {
      throw ImportError(
        "emptyFile", file: file, reason: "it is empty",
        advice: "The first line must name the columns.")
    }
    try check(header)
    while let record = try record() {
      guard record.fields.count == header.fields.count else {
        contents.add(raggedRow(record, header))
        continue
      }
      let fields = zip(header.names, record.fields).map { ImportRow.Field($0, JSONValue($1)) }
      contents.rows.append(ImportRow(line: record.line, fields: fields))
    }
    return contents
  }

  /// The character that separates the names of the first line: a comma, or what spreadsheets
  /// write in countries where that stands in numbers.
  private static func guessDelimiter(_ bytes: [UInt8]) -> UInt8 {
    var isQuoted = false
    var counts: [UInt8: Int] = [:]
    for byte in bytes {
      if byte == quote { isQuoted.toggle() }
      if !isQuoted, byte == newline || byte == carriageReturn { break }
      if !isQuoted { counts[byte, default: 0] += 1 }
    }
    let candidates = [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";")]
    return candidates.first { counts[$0] != nil } ?? candidates[0]
  }

  // MARK: - Records

  private struct Record {
    let line: Int
    /// The fields; nil where nothing stands, not even quotes.
    var fields: [String?]

    var names: [String] { fields.map { $0 ?? "" } }
  }

  /// The next line that is not blank, or nil at the end.
  private mutating func record() throws(ImportError) -> Record? {
    while index < bytes.count, isLineEnd { skipLineEnd() }
    guard index < bytes.count else { return nil }
    var record = Record(line: line, fields: [])
    while true {
      record.fields.append(try field())
      guard record.fields.count <= Self.columnsLimit else {
        throw ImportError(
          "tooManyColumns", file: file, line: record.line,
          reason: "the line has more than \(Self.columnsLimit) columns",
          advice: "Check that the delimiter is the right one.")
      }
      if index < bytes.count, bytes[index] == delimiter {
        index += 1
        continue
      }
      if index < bytes.count { skipLineEnd() }
      return record
    }
  }

  private mutating func field() throws(ImportError) -> String? {
    guard index < bytes.count, bytes[index] == Self.quote else {
      let text = plainField()
      return text.isEmpty ? nil : text
    }
    return try quotedField()
  }

  private mutating func plainField() -> String {
    let start = index
    while index < bytes.count, bytes[index] != delimiter, !isLineEnd { index += 1 }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func quotedField() throws(ImportError) -> String {
    let start = (line: line, index: index)
    index += 1
    var field: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Self.quote {
        index += 1
        if index < bytes.count, bytes[index] == Self.quote {
          field.append(byte)
          index += 1
          continue
        }
        try requireEndOfField()
        return String(decoding: field, as: UTF8.self)
      }
      field.append(byte)
      countLine(byte)
      index += 1
    }
    throw ImportError(
      "unterminatedQuote", file: file, line: start.line, column: column(of: start.index),
      reason: "the quote that opens there never closes",
      advice: "Close it, and write a quote inside a field twice.")
  }

  private func requireEndOfField() throws(ImportError) {
    guard index < bytes.count, bytes[index] != delimiter, !isLineEnd else { return }
    throw ImportError(
      "textAfterQuote", file: file, line: line, column: column(of: index),
      reason: "text follows the quote that closes a field",
      advice: "Write a quote inside a field twice.")
  }

  // MARK: - Lines

  private var isLineEnd: Bool {
    bytes[index] == Self.newline || bytes[index] == Self.carriageReturn
  }

  private mutating func skipLineEnd() {
    let isPair =
      bytes[index] == Self.carriageReturn && index + 1 < bytes.count
      && bytes[index + 1] == Self.newline
    index += isPair ? 2 : 1
    line += 1
  }

  /// Counts the lines inside a quoted field; CRLF is one end.
  private mutating func countLine(_ byte: UInt8) {
    let isLoneReturn =
      byte == Self.carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != Self.newline)
    if byte == Self.newline || isLoneReturn { line += 1 }
  }

  private func column(of index: Int) -> Int {
    let before = bytes[..<index]
    let start = before.lastIndex { $0 == Self.newline || $0 == Self.carriageReturn }
    return String(decoding: before[(start.map { $0 + 1 } ?? 0)...], as: UTF8.self).count + 1
  }

  // MARK: - What can be wrong with a row

  private func check(_ header: Record) throws(ImportError) {
    var names: Set<String> = []
    for (index, name) in header.names.enumerated() {
      if name.isEmpty {
        throw ImportError(
          "unnamedColumn", file: file, line: header.line,
          reason: "column \(index + 1) has no name", advice: "Name it in the first line.")
      }
      if !names.insert(name).inserted {
        throw ImportError(
          "doubleColumn", file: file, line: header.line,
          reason: "two columns are named '\(name)'", advice: "Rename one of them.")
      }
    }
  }

  private func raggedRow(_ record: Record, _ header: Record) -> ImportError {
    let found = Wording.count(record.fields.count, "column")
    return ImportError(
      "raggedRow", file: file, line: record.line,
      reason: "the row has \(found) where the first line names \(header.fields.count)",
      advice: "Add or remove a value, or put one that holds the delimiter into quotes.")
  }
}
