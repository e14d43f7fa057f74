import StrandlineREPL

/// A small terminal: it draws what a program sends, as `xterm` would, into rows of characters.
///
/// It knows the sequences that libedit and the line editor use and notes any other one, so that
/// a test fails rather than looks at a wrong picture.
struct VirtualScreen {
  private(set) var columns: Int
  let rows: Int
  /// The cursor.
  private(set) var row = 0
  private(set) var column = 0
  /// What was sent that this terminal does not know.
  private(set) var unknown: [String] = []
  /// Whether pasted text is to be marked.
  private(set) var marksPastes = false
  /// How often the program asked for that, as it does when it takes the terminal over.
  private(set) var pasteMarkStarts = 0
  private var cells: [[String]]
  private var wrapsNext = false
  private var decoder = ScalarDecoder()
  private var sequence: String?

  /// What the second cell of a wide character holds.
  private static let continuation = ""

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
  }

  /// The rows without the spaces at their ends, up to the last that has something.
  var lines: [String] {
    var lines = cells.map { row in
      var text = row.joined()
      while text.last == " " { text.removeLast() }
      return text
    }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }

  /// Whether the last row is a prompt with nothing behind it, and the cursor stands there.
  var endsWithPrompt: Bool {
    guard let last = lines.last, last.hasSuffix(">") else { return false }
    return column == last.count + 1
  }

  var text: String { lines.joined(separator: "\n") }

  /// All characters but spaces, since rows may end in spaces that cannot be seen.
  var letters: String { Self.letters(lines.joined()) }

  static func letters(_ text: String) -> String { text.filter { $0 != " " } }

  /// Makes the screen wider or narrower without moving anything, as `xterm` does.
  mutating func resize(columns new: Int) {
    cells = cells.map {
      Array(($0 + Array(repeating: " ", count: max(0, new - columns))).prefix(new))
    }
    columns = new
    column = min(column, new - 1)
    wrapsNext = false
  }

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      for scalar in decoder.decode(byte) { receive(scalar) }
    }
  }

  private mutating func receive(_ scalar: Unicode.Scalar) {
    if let begun = sequence {
      let whole = begun + String(scalar)
      sequence = isComplete(whole) ? nil : whole
      if sequence == nil { obey(whole) }
      return
    }
    switch scalar {
    case "\u{1B}": sequence = ""
    case "\r": move(to: row, 0)
    case "\n": lineFeed()
    case "\u{8}": move(to: row, max(0, column - 1))
    case "\t": move(to: row, min(columns - 1, (column / 8 + 1) * 8))
    case "\u{7}", "\0": break
    default: put(scalar)
    }
  }

  // MARK: - Characters

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = DisplayWidth.ofScalar(scalar) ?? 1
    if width == 0 {
      cells[row][max(0, wrapsNext ? column : column - 1)] += String(scalar)
      return
    }
    if wrapsNext || column + width > columns {
      move(to: row, 0)
      lineFeed()
    }
    cells[row][column] = String(scalar)
    if width == 2 { cells[row][column + 1] = Self.continuation }
    // The cursor waits at the last column until the next character comes.
    wrapsNext = column + width == columns
    column = min(columns - 1, column + width)
  }

  private mutating func lineFeed() {
    wrapsNext = false
    if row + 1 < rows {
      row += 1
    } else {
      cells.removeFirst()
      cells.append(Array(repeating: " ", count: columns))
    }
  }

  private mutating func move(to row: Int, _ column: Int) {
    self.row = min(max(0, row), rows - 1)
    self.column = min(max(0, column), columns - 1)
    wrapsNext = false
  }

  // MARK: - Sequences

  private func isComplete(_ sequence: String) -> Bool {
    guard let first = sequence.first, let last = sequence.unicodeScalars.last else { return false }
    if first == "(" || first == ")" { return sequence.count == 2 }
    if first != "[" { return true }
    return sequence.count > 1 && ("@"..."~").contains(last)
  }

  private mutating func obey(_ sequence: String) {
    guard sequence.hasPrefix("["), let command = sequence.last else {
      if !["(B", "=", ">", "7", "8"].contains(sequence) { unknown.append(sequence) }
      return
    }
    let parameters = sequence.dropFirst().dropLast()
    let numbers = parameters.split(separator: ";").compactMap { Int($0) }
    let count = max(1, numbers.first ?? 1)
    switch command {
    case "A": move(to: row - count, column)
    case "B": move(to: row + count, column)
    case "C": move(to: row, column + count)
    case "D": move(to: row, column - count)
    case "G": move(to: row, count - 1)
    case "H": move(to: count - 1, (numbers.count > 1 ? numbers[1] : 1) - 1)
    case "J": clearBelow(numbers.first ?? 0, sequence)
    case "K": clearRow(row, from: numbers.first == nil ? column : 0)
    case "P": deleteCells(count)
    case "@": insertCells(count)
    case "h", "l":
      if parameters == "?2004" {
        marksPastes = command == "h"
        if marksPastes { pasteMarkStarts += 1 }
      }
    case "m": break
    default: unknown.append(sequence)
    }
  }

  private mutating func clearBelow(_ mode: Int, _ sequence: String) {
    guard mode == 0 || mode == 2 else { return unknown.append(sequence) }
    clearRow(row, from: mode == 2 ? 0 : column)
    for other in 0..<rows where mode == 2 || other > row { clearRow(other, from: 0) }
  }

  private mutating func clearRow(_ row: Int, from start: Int) {
    for column in start..<columns { cells[row][column] = " " }
  }

  private mutating func deleteCells(_ count: Int) {
    let count = min(count, columns - column)
    cells[row].removeSubrange(column..<column + count)
    cells[row] += Array(repeating: " ", count: count)
  }

  private mutating func insertCells(_ count: Int) {
    let count = min(count, columns - column)
    cells[row].insert(contentsOf: Array(repeating: " ", count: count), at: column)
    cells[row].removeLast(count)
  }
}
