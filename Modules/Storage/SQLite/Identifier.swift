extension String {
  /// The text as an SQL identifier in double quotes.
  package var quoted: String {
    "\"" + replacing("\"", with: "\"\"") + "\""
  }

  /// The text as an SQL string in single quotes.
  package var literal: String {
    "'" + replacing("'", with: "''") + "'"
  }
}
