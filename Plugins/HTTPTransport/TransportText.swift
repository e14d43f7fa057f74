/// Text that came from elsewhere, made fit for a sentence on a terminal.
enum TransportText {
  /// The beginning of a text, without control characters.
  static func plain(_ text: String, limit: Int = 200) -> String {
    let scalars = text.unicodeScalars.prefix(limit).map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
