import Foundation

/// A random source that gives the same numbers for the same seed (SplitMix64).
struct SeededSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// The seeds of a run: the one in `STRANDLINE_SEED` to replay a failure, else a fixed few.
  static var seeds: [UInt64] {
    if let text = ProcessInfo.processInfo.environment["STRANDLINE_SEED"], let seed = UInt64(text) {
      return [seed]
    }
    return [1, 2, 3, 5, 8]
  }
}
