import Strandline

/// The tail of `list` and `count`: a condition, an order and a limit.
struct ListSyntax {
  var condition: String?
  var order: String?
  var limit: Int?

  /// Reads `where … order by … limit N` from a word on; the condition is SQL as it was typed.
  init(_ tokenized: TokenizedCommand, from start: Int) throws(CommandError) {
    let tokens = tokenized.tokens
    var index = start
    func end(after first: Int) -> Int {
      var place = first
      while place < tokens.count, !Self.isClause(tokens, place) { place += 1 }
      return place
    }
    while index < tokens.count {
      let word = tokens[index]
      if word.isKeyword("where"), condition == nil, order == nil {
        let stop = end(after: index + 1)
        condition = try Self.clause(tokenized, index + 1, stop, "the condition", word)
        index = stop
      } else if word.isKeyword("order"), index + 1 < tokens.count,
        tokens[index + 1].isKeyword("by"), order == nil
      {
        let stop = end(after: index + 2)
        order = try Self.clause(tokenized, index + 2, stop, "what to order by", word)
        index = stop
      } else if word.isKeyword("limit"), limit == nil {
        limit = try Self.limit(tokens, index + 1, word)
        index += 2
      } else {
        throw CommandError(
          "strayWord", "Could not read the list, '\(word.text)' is not expected here.",
          advice: "Write where …, order by …, or limit N.", at: word)
      }
    }
  }

  private static func isClause(_ tokens: [Token], _ index: Int) -> Bool {
    if tokens[index].isKeyword("limit") { return true }
    return tokens[index].isKeyword("order") && index + 1 < tokens.count
      && tokens[index + 1].isKeyword("by")
  }

  private static func clause(
    _ tokenized: TokenizedCommand, _ start: Int, _ stop: Int, _ what: String, _ word: Token
  ) throws(CommandError) -> String {
    guard start < stop else {
      throw CommandError(
        "missingWord", "Could not read the list, \(what) is missing.",
        advice: "For example: list TodoItem where done = 0 order by due limit 10", at: word)
    }
    let tokens = tokenized.tokens
    return tokenized.text(tokens[start].range.lowerBound..<tokens[stop - 1].range.upperBound)
  }

  private static func limit(
    _ tokens: [Token], _ index: Int, _ word: Token
  ) throws(CommandError) -> Int {
    guard index < tokens.count, let number = Int(tokens[index].text), number >= 0 else {
      throw CommandError(
        "wrongType", "Could not read the limit, it is not a whole number.",
        advice: "For example: limit 10", at: index < tokens.count ? tokens[index] : word)
    }
    return number
  }
}
