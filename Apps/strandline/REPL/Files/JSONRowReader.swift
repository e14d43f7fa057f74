import StrandlineModels

/// Reads rows from JSON: an array of objects, an object with one such array, or lines.
struct JSONRowReader {
  private let file: String
  private let text: String

  init(_ text: String, file: String) {
    self.text = text
    self.file = file
  }

  // MARK: - One value

  func readDocument() throws(ImportError) -> ImportContents {
    let document: JSONValue
    do {
      document = try JSONValue(parsing: text)
    } catch {
      throw broken(error, line: error.line)
    }
    var elements = document.elements
    var depth = 1
    if elements == nil, let members = document.members, members.count == 1 {
      elements = members[0].value.elements
      depth = 2
    }
    guard let elements else {
      throw ImportError(
        "notRows", file: file, line: 1,
        reason: "it is neither an array of objects nor an object with one such array",
        advice: "Export the rows as an array, or as one object a line into a .jsonl file.")
    }
    return rows(elements, lines: ElementLines.find(in: text, depth: depth))
  }

  private func rows(_ elements: [JSONValue], lines: [Int]) -> ImportContents {
    var contents = ImportContents()
    for (index, element) in elements.enumerated() {
      add(element, line: index < lines.count ? lines[index] : 1, to: &contents)
    }
    return contents
  }

  private func add(_ element: JSONValue, line: Int, to contents: inout ImportContents) {
    guard let members = element.members else {
      contents.add(
        ImportError(
          "notAnObject", file: file, line: line, reason: "the row is no object",
          advice: "Write it as {\"name\": value, …}."))
      return
    }
    let fields = members.map { ImportRow.Field($0.name, $0.value) }
    contents.rows.append(ImportRow(line: line, fields: fields))
  }

  // MARK: - Lines

  func readLines() -> ImportContents {
    var contents = ImportContents()
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      do {
        add(try JSONValue(parsing: String(Substring(line))), line: index + 1, to: &contents)
      } catch {
        contents.add(broken(error, line: index + 1))
      }
    }
    return contents
  }

  private func broken(_ error: JSONError, line: Int) -> ImportError {
    ImportError(
      error.codeName, file: file, line: line, column: error.column, reason: error.reason,
      advice: error.advice)
  }
}

/// Finds the lines where the elements of an array begin, in text that is known to be valid JSON.
enum ElementLines {
  /// The lines of the values that begin at a depth: 1 inside the outermost array, 2 inside the
  /// array of an object's only member.
  static func find(in text: String, depth wanted: Int) -> [Int] {
    var lines: [Int] = []
    var line = 1
    var depth = 0
    var isInString = false
    var isEscaped = false
    var expectsElement = false
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
        continue
      }
      if byte <= 0x20 { continue }
      if expectsElement, depth == wanted, byte != UInt8(ascii: "]") {
        lines.append(line)
        expectsElement = false
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "["):
        depth += 1
        if depth == wanted { expectsElement = true }
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ","): if depth == wanted { expectsElement = true }
      default: break
      }
    }
    return lines
  }
}
