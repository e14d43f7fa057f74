import StrandlineModels

/// Pieces of a page; whatever comes from outside is escaped.
enum HTML {
  static func escape(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "'": out += "&#39;"
      // Control characters have no place in a page, and some are not allowed in one.
      case _ where scalar.value < 0x20 && scalar != "\n": out += "\u{FFFD}"
      case "\u{7F}"..."\u{9F}", "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  static func time(_ milliseconds: Int64) -> String {
    let text = Timestamp.text(milliseconds)
    return "<time datetime=\"\(text)\">\(text)</time>"
  }

  /// A table; without names of columns the first cell of each row is its head.
  static func table(_ columns: [String]?, _ rows: [[String]]) -> String {
    guard !rows.isEmpty else { return "" }
    var lines = ["<table>"]
    if let columns {
      let cells = columns.map { "<th scope=\"col\">\(escape($0))</th>" }.joined()
      lines.append("<thead><tr>\(cells)</tr></thead>")
    }
    lines.append("<tbody>")
    for row in rows {
      let cells = row.enumerated().map { index, cell in
        columns == nil && index == 0
          ? "<th scope=\"row\">\(escape(cell))</th>" : "<td>\(escape(cell))</td>"
      }
      lines.append("<tr>\(cells.joined())</tr>")
    }
    lines.append("</tbody></table>")
    return lines.joined(separator: "\n")
  }

  /// A JSON value as nested lists of names and values.
  static func list(_ json: JSONValue) -> String {
    switch json {
    case .object(let members) where members.isEmpty: "<p>nothing</p>"
    case .object(let members):
      "<dl>"
        + members.map { "<dt>\(escape($0.name))</dt><dd>\(list($0.value))</dd>" }.joined()
        + "</dl>"
    case .array(let elements): elements.map(list).joined(separator: "\n")
    case .string(let text): escape(text)
    default: escape(json.text)
    }
  }
}
