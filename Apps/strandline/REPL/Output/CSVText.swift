/// Rows as comma-separated values (RFC 4180).
///
/// A field that is nothing stands without quotes and empty text in them, so that both are read
/// again as what they were.
package enum CSVText {
  /// One row and its line end.
  package static func row(
    _ fields: [String?], delimiter: Character = ",", isSpreadsheetSafe: Bool = false
  ) -> String {
    // A single empty field would be a blank line, which readers skip.
    if fields.count == 1, (fields[0] ?? "").isEmpty { return "\"\"\r\n" }
    let cells = fields.map { field -> String in
      guard let field else { return "" }
      return quote(isSpreadsheetSafe ? harmless(field) : field, delimiter)
    }
    return cells.joined(separator: String(delimiter)) + "\r\n"
  }

  private static func quote(_ field: String, _ delimiter: Character) -> String {
    let needsQuotes =
      field.isEmpty || field.contains { $0 == "\"" || $0 == delimiter || $0.isNewline }
      || field.first?.isWhitespace == true || field.last?.isWhitespace == true
    return needsQuotes ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
  }

  /// Text that a spreadsheet would take for a formula gets an apostrophe before it.
  private static func harmless(_ field: String) -> String {
    guard let first = field.first, "=+-@\t\r".contains(first), Double(field) == nil else {
      return field
    }
    return "'" + field
  }
}
