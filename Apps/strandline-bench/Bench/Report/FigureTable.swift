import Foundation

/// The figures as lines of a table that fits 110 columns.
package enum FigureTable {
  /// The line above the figures.
  package static let heading = line(
    "what", "measured", "yardstick", "ratio", "at least", "aim", "")

  /// A figure's line.
  package static func line(_ figure: Figure) -> String {
    let isRatio = figure.yardstick != nil
    func target(_ value: Double?) -> String {
      guard let value else { return "" }
      return number(value) + (isRatio ? "×" : "")
    }
    let verdict =
      switch (figure.isMet, figure.isAimed) {
      case (false, _): "✗ below"
      case (_, true): "✓ aim"
      case (true, _): "✓"
      default: ""
      }
    return line(
      figure.title, number(figure.value) + " " + figure.unit,
      figure.yardstick.map { "\($0.name) \(number($0.value))" } ?? "",
      figure.ratio.map { number($0) + "×" } ?? "", target(figure.floor), target(figure.aim),
      verdict)
  }

  private static func line(_ cells: String...) -> String {
    let widths = [40, 17, 16, 7, 8, 7, 7]
    var out = ""
    for (cell, width) in zip(cells, widths) {
      let isWords = width == widths[0] || cell == cells.last
      let pad = String(repeating: " ", count: max(0, width - cell.count))
      out += (isWords ? cell + pad : pad + cell) + " "
    }
    while out.hasSuffix(" ") { out.removeLast() }
    return out
  }

  /// A number with three significant digits, thousands set apart.
  package static func number(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    if abs(value) >= 1000 {
      var digits = String(Int(value.rounded()))
      var groups: [String] = []
      while digits.count > 3 {
        groups.insert(String(digits.suffix(3)), at: 0)
        digits.removeLast(3)
      }
      return ([digits] + groups).joined(separator: ",")
    }
    let places = abs(value) >= 100 ? 0 : abs(value) >= 10 ? 1 : abs(value) >= 1 ? 2 : 3
    return String(format: "%.\(places)f", value)
  }
}
