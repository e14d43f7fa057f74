/// What a mistyped word may have been meant to be.
enum Suggestion {
  private static let lengthLimit = 64

  /// "Did you mean …?", or nothing where no candidate is near.
  static func sentence(for word: String, among candidates: [String]) -> String {
    guard word.count <= lengthLimit else { return "" }
    let limit = max(1, min(3, word.count / 3))
    let near = candidates.map { (candidate: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= limit }
      .min { $0.distance < $1.distance }
    return near.map { "Did you mean '\($0.candidate)'?" } ?? ""
  }

  /// How many characters have to be inserted, removed or replaced (Levenshtein).
  static func distance(_ left: String, _ right: String) -> Int {
    let (from, to) = (Array(left), Array(right))
    var last = Array(0...to.count)
    for (row, character) in from.enumerated() {
      var next = [row + 1]
      for (column, other) in to.enumerated() {
        let replaced = last[column] + (character == other ? 0 : 1)
        next.append(min(replaced, last[column + 1] + 1, next[column] + 1))
      }
      last = next
    }
    return last[to.count]
  }
}
