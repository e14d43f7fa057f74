import Foundation

/// Reads the rows of a file in any of the formats.
package enum ImportReader {
  /// The greatest file that is read, since its rows are held in memory.
  package static let bytesLimit = 512 * 1024 * 1024

  /// Reads a file; its format is told by its name, or else by its contents.
  ///
  /// Rows that are broken are listed beside those that are whole; an error is thrown when the
  /// file as a whole makes no sense. It blocks while it reads.
  package static func read(
    _ path: String, format: TableFormat? = nil, delimiter: Character? = nil
  ) throws(ImportError) -> ImportContents {
    let bytes = try load(path)
    return try read(bytes, file: path, format: format, delimiter: delimiter)
  }

  /// Reads the bytes of a file.
  package static func read(
    _ bytes: [UInt8], file: String, format: TableFormat? = nil, delimiter: Character? = nil
  ) throws(ImportError) -> ImportContents {
    let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let text = try decode(bytes, file: file)
    switch format ?? TableFormat(extensionOf: file) ?? guessFormat(text) {
    case .json:
      var contents = try JSONRowReader(text, file: file).readDocument()
      contents.format = .json
      return contents
    case .jsonl:
      var contents = JSONRowReader(text, file: file).readLines()
      contents.format = .jsonl
      return contents
    case .csv:
      let separator = try self.delimiter(delimiter, file: file)
      var reader = CSVReader(bytes, file: file, delimiter: separator)
      return try reader.read()
    }
  }

  /// JSON begins with a bracket; it is lines if the first line alone is an object and others
  /// follow.
  private static func guessFormat(_ text: String) -> TableFormat {
    let start = text.utf8.drop { $0 <= 0x20 }
    guard let first = start.first else { return .csv }
    if first == UInt8(ascii: "[") { return .json }
    guard first == UInt8(ascii: "{") else { return .csv }
    let line = start.prefix { $0 != UInt8(ascii: "\n") }
    let hasMore = start.dropFirst(line.count).contains { $0 > 0x20 }
    let last = line.last { $0 > 0x20 }
    return hasMore && last == UInt8(ascii: "}") ? .jsonl : .json
  }

  private static func delimiter(
    _ delimiter: Character?, file: String
  ) throws(ImportError) -> UInt8? {
    guard let delimiter else { return TableFormat.isTabbed(file) ? UInt8(ascii: "\t") : nil }
    guard let byte = delimiter.asciiValue, byte != UInt8(ascii: "\""), !delimiter.isNewline else {
      throw ImportError(
        "badDelimiter", file: file, reason: "'\(delimiter)' cannot separate values",
        advice: "Use a comma, a semicolon, a tab or another ASCII character.")
    }
    return byte
  }

  private static func decode(_ bytes: [UInt8], file: String) throws(ImportError) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
    throw ImportError(
      "notUTF8", file: file, line: isUTF16 ? nil : firstBrokenLine(bytes),
      reason: isUTF16 ? "it is UTF-16" : "it is not UTF-8",
      advice: "Save it with the encoding UTF-8.")
  }

  private static func firstBrokenLine(_ bytes: [UInt8]) -> Int {
    var line = 1
    for part in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if String(validating: part, as: UTF8.self) == nil { return line }
      line += 1
    }
    return line
  }

  private static func load(_ path: String) throws(ImportError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(path, errno) }
      if count == 0 { return bytes }
      guard bytes.count + count <= bytesLimit else {
        throw ImportError(
          "fileTooLarge", file: path, reason: "it is larger than \(bytesLimit >> 20) MiB",
          advice: "Cut it into several files.")
      }
      bytes += buffer[..<count]
    }
  }

  private static func failure(_ path: String, _ number: Int32) -> ImportError {
    ImportError(
      "cannotRead", file: path, reason: SystemReason.text(number),
      advice: "Check the path and its permissions.")
  }
}

/// The system's words for what failed, as they stand inside a sentence.
enum SystemReason {
  static func text(_ number: Int32) -> String {
    let reason = String(cString: strerror(number))
    return reason.prefix(1).lowercased() + reason.dropFirst()
  }
}
