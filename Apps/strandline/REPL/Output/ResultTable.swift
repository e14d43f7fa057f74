package import StrandlineModels

/// How rows are shown.
package enum OutputMode: String, CaseIterable, Sendable {
  /// Columns side by side; rows too wide for that one value a line.
  case table
  /// One value a line.
  case line
  /// One JSON array of objects.
  case json
  /// One JSON object a line.
  case jsonl
  /// Comma-separated values as in RFC 4180.
  case csv
  /// A Markdown table.
  case markdown
}

/// Rows of a result, ready to be shown in any mode.
package struct ResultTable: Equatable, Sendable {
  /// The names of the columns.
  package let columns: [String]
  /// The rows, each with a value for every column.
  package let rows: [[JSONValue]]

  /// Makes a table; a row that is too short is filled with nulls, one that is too long is cut.
  package init(columns: [String], rows: [[JSONValue]]) {
    self.columns = columns
    self.rows = rows.map { row in
      row.count == columns.count
        ? row
        : Array((row + Array(repeating: .null, count: columns.count)).prefix(columns.count))
    }
  }

  /// Makes a table of texts; where nothing is to be said there is no value.
  package init(columns: [String], rows: [[String]]) {
    self.init(
      columns: columns, rows: rows.map { $0.map { $0.isEmpty ? .null : JSONValue.string($0) } })
  }

  /// The rows in a mode, each line with its newline; `width` is that of the terminal, if one
  /// shows it.
  package func text(_ mode: OutputMode, width: Int? = nil, style: Style = .plain) -> String {
    switch mode {
    case .table: TableLayout(self, width: width, style: style).text
    case .line: LineLayout.text(self, style: style)
    case .json: rows.isEmpty ? "[]\n" : "[" + objects.joined(separator: ",\n ") + "]\n"
    case .jsonl: objects.map { $0 + "\n" }.joined()
    case .csv: CSVText.row(columns) + rows.map { CSVText.row($0.map(Self.cell)) }.joined()
    case .markdown: MarkdownLayout.text(self)
    }
  }

  /// The rows as values that people read: null is empty.
  package var plainRows: [[String]] {
    rows.map { $0.map(Self.plainText) }
  }

  private var objects: [String] {
    rows.map { row in
      JSONValue.object(zip(columns, row).map { JSONValue.Member($0, $1) }).text
    }
  }

  /// A value as a cell of a CSV file; nil where there is none.
  package static func cell(_ value: JSONValue) -> String? {
    value == .null ? nil : plainText(value)
  }

  /// A value as people read it: text without quotes, and null as nothing.
  package static func plainText(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let text): text
    default: value.text
    }
  }
}

/// One value a line, a blank line between rows.
enum LineLayout {
  static func text(_ table: ResultTable, style: Style) -> String {
    let names = table.columns.map { ControlCharacters.visible($0) }
    let widest = names.map(DisplayWidth.of).max() ?? 0
    return table.plainRows.map { row in
      zip(names, row).map { name, value in
        let label = style.name(DisplayWidth.pad(name, to: widest, onLeft: true))
        let shown = ControlCharacters.visible(value)
        return shown.isEmpty ? "\(label) =\n" : "\(label) = \(shown)\n"
      }.joined()
    }.joined(separator: "\n")
  }
}

/// A Markdown table; bars in values are escaped, and newlines become `<br>`.
enum MarkdownLayout {
  static func text(_ table: ResultTable) -> String {
    let rule = table.columns.map { _ in "---" }
    let body = table.plainRows.map { $0.map(cell) }
    return ([table.columns.map(cell), rule] + body)
      .map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
  }

  private static func cell(_ text: String) -> String {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.map { line in
      ControlCharacters.visible(String(line))
        .replacing("\\", with: "\\\\").replacing("|", with: "\\|")
    }.joined(separator: "<br>")
  }
}
