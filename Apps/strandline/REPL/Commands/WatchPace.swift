/// When a watched listing is shown again, and how often.
struct WatchPace {
  /// The command without what is said here.
  let rest: TokenizedCommand
  /// The time between two listings; nil shows one when a transaction touches it.
  let interval: Duration?
  /// How many listings are shown; nil goes on until Ctrl-C.
  let count: Int?

  /// Reads `--every SECONDS` and `--count N`.
  init(_ input: CommandInput) throws(CommandError) {
    let every = try input.values(of: "every").first
    let count = try input.values(of: "count").first
    interval = try every.map { (token) throws(CommandError) in
      guard let seconds = Double(token.text), seconds >= 0.1, seconds <= 86_400 else {
        throw CommandError(
          "wrongType", "Could not watch every '\(token.text)', it is no number of seconds.",
          advice: "For example: --every 5", at: token)
      }
      return .milliseconds(Int64(seconds * 1000))
    }
    self.count = try count.map { (token) throws(CommandError) in
      guard let number = Int(token.text), number > 0 else {
        throw CommandError(
          "wrongType", "Could not show '\(token.text)' listings, it is no positive number.",
          advice: "For example: --count 3", at: token)
      }
      return number
    }
    let taken = Set([every, count].compactMap { $0?.range.lowerBound })
    let words = input.tokenized.tokens.filter { token in
      if case .option = token.kind { return false }
      return !taken.contains(token.range.lowerBound)
    }
    rest = TokenizedCommand(source: input.tokenized.source, tokens: words)
  }
}
