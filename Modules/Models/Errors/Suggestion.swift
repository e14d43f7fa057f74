/// What a mistyped word may have been meant to be.
package enum Suggestion {
  private static let lengthLimit = 64

  /// The candidate nearest to a word, or nil if none is near; among equals the first one.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      // Two different short words differ in little and mean nothing to each other.
      let limit = min((best?.distance ?? Int.max) - 1, max(1, min(3, candidate.count / 3)))
      guard limit >= 0,
        let distance = distance(word.lowercased(), candidate.lowercased(), limit: limit)
      else { continue }
      best = (candidate, distance)
    }
    if let best { return best.candidate }
    guard word.count >= 2 else { return nil }
    return candidates.first { $0.lowercased().hasPrefix(word.lowercased()) }
  }

  /// "Did you mean …?", or nothing.
  package static func sentence(for word: String, among candidates: some Sequence<String>) -> String
  {
    nearest(to: word, among: candidates).map { "Did you mean \($0)?" } ?? ""
  }

  /// How many characters have to be inserted, removed, replaced or swapped with their neighbour,
  /// or nil if more than the limit.
  package static func distance(_ left: String, _ right: String, limit: Int) -> Int? {
    let a = Array(left)
    let b = Array(right)
    guard a.count <= lengthLimit, b.count <= lengthLimit, abs(a.count - b.count) <= limit else {
      return nil
    }
    guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
        row[j] = min(replaced, last[j] + 1, row[j - 1] + 1)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforeLast[j - 2] + 1)
        }
      }
      if let least = row.min(), least > limit { return nil }
      beforeLast = last
      last = row
    }
    return last[b.count] <= limit ? last[b.count] : nil
  }
}
