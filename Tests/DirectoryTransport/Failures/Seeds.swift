import Foundation

/// The seeds of a run: the one in `STRANDLINE_SEED` to replay a failure, else some and a fresh one.
enum Seeds {
  static var all: [UInt64] {
    if let text = ProcessInfo.processInfo.environment["STRANDLINE_SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return [1, 2, 3, .random(in: .min ... .max)]
  }
}
