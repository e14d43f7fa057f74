/// Puts the head of an answer together from its lines.
struct HeadReader {
  /// What a line led to.
  enum Step: Hashable, Sendable {
    /// More lines are to come.
    case more
    /// The head is complete.
    case complete(HTTPResponse)
    /// The head is larger than any of a server that means well.
    case tooLarge
  }

  private static let bytesLimit = 64 << 10

  /// The head, once it is complete.
  private(set) var response: HTTPResponse?
  /// Whether anything of a head has come.
  private(set) var hasBegun = false
  private var reading = HTTPResponse(status: 0)
  private var bytesRead = 0

  /// Takes the next line, with its line break.
  mutating func read(_ line: UnsafeRawBufferPointer) -> Step {
    bytesRead += line.count
    guard bytesRead <= Self.bytesLimit else { return .tooLarge }
    // What comes after the body are trailers, which nobody here sends.
    guard response == nil else { return .more }
    let text = String(decoding: line, as: UTF8.self).trimmed
    if text.isEmpty { return end() }
    if text.hasPrefix("HTTP/") {
      // A head that was only a notice, such as "100 Continue", is followed by another one.
      hasBegun = true
      let words = text.split(separator: " ", maxSplits: 2)
      reading = HTTPResponse(status: words.count > 1 ? Int(words[1]) ?? 0 : 0)
    } else if let colon = text.firstIndex(of: ":") {
      let value = String(text[text.index(after: colon)...]).trimmed
      reading.headers.append(HTTPRequest.Header(String(text[..<colon]).trimmed, value))
    }
    return .more
  }

  private mutating func end() -> Step {
    guard !(100..<200).contains(reading.status) else { return .more }
    response = reading
    return .complete(reading)
  }
}

extension String {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
