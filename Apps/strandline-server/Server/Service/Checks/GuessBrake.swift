/// Slows down who guesses tokens, by the address that the guesses come from.
///
/// Many devices may stand behind one address, so a token that was right here before is let
/// through; only who has never shown one must wait.
struct GuessBrake: Sendable {
  private struct Guesses {
    var count: Int
    var since: Int64
  }

  private let guesses: Int
  private let window: Int64
  private var known: [String: Guesses] = [:]
  private var trusted: Set<[UInt8]> = []
  private static let addresses = 10_000
  private static let trustedTokens = 100_000

  init(guesses: Int, window: Int64) {
    self.guesses = guesses
    self.window = window
  }

  /// The seconds that an address must wait before it may show a token with that hash.
  func wait(of address: String, hash: [UInt8]?, at now: Int64) -> Int? {
    guard let found = known[Self.key(address)], now - found.since < window,
      found.count >= guesses
    else { return nil }
    if let hash, trusted.contains(hash) { return nil }
    return Int(max(1, (found.since + window - now + 999) / 1000))
  }

  /// Notes a wrong token.
  mutating func noteFailure(of address: String, at now: Int64) {
    let key = Self.key(address)
    if let found = known[key], now - found.since < window {
      known[key]?.count += 1
      return
    }
    if known.count >= Self.addresses {
      known = known.filter { now - $0.value.since < window }
      // Whoever fills the table from many addresses empties it, but guesses no faster by that
      // than one address for each entry allows.
      if known.count >= Self.addresses { known = [:] }
    }
    known[key] = Guesses(count: 1, since: now)
  }

  /// Notes a right token.
  mutating func noteSuccess(hash: [UInt8]) {
    if trusted.count >= Self.trustedTokens { trusted = [] }
    trusted.insert(hash)
  }

  /// One person has a whole network of IPv6, so its first half stands for all of it.
  static func key(_ address: String) -> String {
    guard address.contains(":"), !address.contains(".") else { return address }
    let halves = address.components(separatedBy: "::")
    let first = halves[0].split(separator: ":").map(String.init)
    let last = halves.count > 1 ? halves[1].split(separator: ":").map(String.init) : []
    let gap = halves.count > 1 ? max(0, 8 - first.count - last.count) : 0
    let groups = first + [String](repeating: "0", count: gap) + last
    return groups.prefix(4).joined(separator: ":") + "::/64"
  }
}

extension String {
  fileprivate func components(separatedBy separator: String) -> [String] {
    guard let range = firstRange(of: separator) else { return [self] }
    return [String(self[..<range.lowerBound]), String(self[range.upperBound...])]
  }
}
