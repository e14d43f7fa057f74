import StrandlineModels

/// Columns side by side, as wide as their values or as the terminal allows.
///
/// A column of numbers stands at the right. When the columns do not fit, the widest ones give
/// way first and their values are cut with `…`; when even narrow columns do not fit, each value
/// gets a line of its own.
struct TableLayout {
  private static let gap = "  "
  private static let narrowest = 6

  private let table: ResultTable
  private let cells: [[String]]
  private let header: [String]
  private let width: Int?
  private let style: Style

  init(_ table: ResultTable, width: Int?, style: Style) {
    self.table = table
    self.width = width
    self.style = style
    header = table.columns.map { ControlCharacters.visible($0) }
    cells = table.plainRows.map { $0.map { ControlCharacters.visible($0) } }
  }

  var text: String {
    guard !header.isEmpty else { return "" }
    guard let widths = fittingWidths else { return LineLayout.text(table, style: style) }
    let atRight = header.indices.map(isNumeric)
    var lines = [style.heading(line(header, widths, atRight))]
    lines.append(
      style.faint(line(widths.map { String(repeating: "─", count: $0) }, widths, atRight)))
    lines += cells.map { line($0, widths, atRight) }
    return lines.map { $0 + "\n" }.joined()
  }

  private func line(_ cells: [String], _ widths: [Int], _ atRight: [Bool]) -> String {
    let last = cells.count - 1
    let text = cells.indices.map { column in
      let cell = DisplayWidth.cut(cells[column], to: widths[column])
      // Nothing follows the last cell, so that no line ends in spaces.
      if column == last, !atRight[column] { return cell }
      return DisplayWidth.pad(cell, to: widths[column], onLeft: atRight[column])
    }.joined(separator: Self.gap)
    // Where the last cell is empty, the gap before it would end the line.
    guard let end = text.lastIndex(where: { $0 != " " }) else { return "" }
    return String(text[...end])
  }

  private func isNumeric(_ column: Int) -> Bool {
    let values = table.rows.map { $0[column] }.filter { $0 != .null }
    return !values.isEmpty
      && values.allSatisfy { value in
        switch value {
        case .integer, .number: true
        default: false
        }
      }
  }

  private var naturalWidths: [Int] {
    header.indices.map { column in
      cells.reduce(DisplayWidth.of(header[column])) { max($0, DisplayWidth.of($1[column])) }
    }
  }

  /// The widths of the columns, or nil if they do not fit however narrow.
  private var fittingWidths: [Int]? {
    let natural = naturalWidths
    guard let width else { return natural }
    let available = width - Self.gap.count * (natural.count - 1)
    if natural.reduce(0, +) <= available { return natural }
    let least = natural.map { min($0, Self.narrowest) }
    guard least.reduce(0, +) <= available else { return nil }
    return Self.share(available, among: natural)
  }

  /// Lowers the widest columns to one height until all fit, and gives what is left over to the
  /// first of them.
  private static func share(_ available: Int, among natural: [Int]) -> [Int] {
    var height = natural.max() ?? 0
    while height > 1, natural.reduce(0, { $0 + min($1, height) }) > available { height -= 1 }
    var widths = natural.map { min($0, height) }
    var spare = available - widths.reduce(0, +)
    for column in widths.indices where spare > 0 && widths[column] < natural[column] {
      widths[column] += 1
      spare -= 1
    }
    return widths
  }
}
