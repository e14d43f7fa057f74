/// Text that came from elsewhere, made fit for a sentence on a terminal.
package enum PlainText {
  /// The beginning of a text, with a replacement character for each control character.
  package static func text(_ text: String, limit: Int) -> String {
    let scalars = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
