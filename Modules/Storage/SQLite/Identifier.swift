extension String {
  /// The text as an SQL identifier in double quotes.
  package var quoted: String { between("\"") }

  /// The text as an SQL string in single quotes.
  package var literal: String { between("'") }

  /// The text between two quotes, with those in it doubled.
  private func between(_ quote: Character) -> String {
    // Names hardly ever hold a quote, and replacing goes over them far more slowly.
    let body = contains(quote) ? replacing(String(quote), with: "\(quote)\(quote)") : self
    return "\(quote)\(body)\(quote)"
  }
}
