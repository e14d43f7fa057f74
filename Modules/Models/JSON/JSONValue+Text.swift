extension JSONValue {
  /// The value as compact JSON in one line.
  public var text: String {
    var out = ""
    write(to: &out, indent: nil, depth: 0)
    return out
  }

  /// The value as JSON over several lines, indented by two spaces.
  public var prettyText: String {
    var out = ""
    write(to: &out, indent: 2, depth: 0)
    return out
  }

  private func write(to out: inout String, indent: Int?, depth: Int) {
    switch self {
    case .null: out += "null"
    case .bool(let value): out += value ? "true" : "false"
    case .integer(let value): out += String(value)
    case .number(let value): out += Self.text(of: value)
    case .string(let value): Self.quote(value, to: &out)
    case .array(let elements):
      Self.writeList(elements.count, "[", "]", to: &out, indent: indent, depth: depth) {
        elements[$0].write(to: &$1, indent: indent, depth: depth + 1)
      }
    case .object(let members):
      Self.writeList(members.count, "{", "}", to: &out, indent: indent, depth: depth) {
        Self.quote(members[$0].name, to: &$1)
        $1 += indent == nil ? ":" : ": "
        members[$0].value.write(to: &$1, indent: indent, depth: depth + 1)
      }
    }
  }

  private static func writeList(
    _ count: Int, _ open: String, _ close: String, to out: inout String, indent: Int?,
    depth: Int, element: (Int, inout String) -> Void
  ) {
    out += open
    for index in 0..<count {
      if index > 0 { out += "," }
      if let indent { out += "\n" + String(repeating: " ", count: indent * (depth + 1)) }
      element(index, &out)
    }
    if let indent, count > 0 { out += "\n" + String(repeating: " ", count: indent * depth) }
    out += close
  }

  /// JSON has no infinities and no NaN; they are written as null.
  private static func text(of number: Double) -> String {
    number.isFinite ? "\(number)" : "null"
  }

  private static func quote(_ string: String, to out: inout String) {
    out += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    out += "\""
  }
}
