/// What one merge did to a record, so that the caller can write, log and list just that.
public struct MergeOutcome: Hashable, Sendable {
  /// Why a version does not show.
  public enum Cause: Hashable, Sendable {
    /// A greater version of the same property and life.
    case version(Version)
    /// Its life was deleted.
    case death
    /// A later life began.
    case laterLife
  }

  /// A version that lost.
  public struct Loser: Hashable, Sendable {
    /// The property's permanent key.
    public let property: String
    /// What lost.
    public let version: Version
    /// Whether it came with the delta, as against having been known before.
    public let isIncoming: Bool
    /// What it lost to.
    public let cause: Cause
  }

  /// Whether the record lived before.
  public internal(set) var wasAlive: Bool
  /// Whether it lives now.
  public internal(set) var isAlive: Bool
  /// Whether a later birth became known.
  public internal(set) var bornRose = false
  /// Whether a greater death became known.
  public internal(set) var deathRose = false
  /// Properties of the present life that took a new version.
  public internal(set) var changed: Set<String> = []
  /// Versions that lost, whether or not anybody would call that a conflict.
  public internal(set) var losers: [Loser] = []
  /// Parked versions that were added or replaced.
  public internal(set) var parkedAdded: Set<RecordState.ParkedKey> = []
  /// Parked versions that are parked no longer.
  public internal(set) var parkedDropped: Set<RecordState.ParkedKey> = []

  /// Forgets losers that have not lost after all.
  package mutating func forgetLosers(where hasWon: (Loser) -> Bool) {
    losers.removeAll(where: hasWon)
  }

  init(wasAlive: Bool) {
    self.wasAlive = wasAlive
    isAlive = wasAlive
  }

  /// Whether the merge changed nothing at all.
  public var isNothing: Bool {
    !bornRose && !deathRose && changed.isEmpty && parkedAdded.isEmpty && parkedDropped.isEmpty
  }

  mutating func lose(
    _ version: Version, of property: String, isIncoming: Bool, because cause: Cause
  ) {
    losers.append(
      Loser(property: property, version: version, isIncoming: isIncoming, cause: cause))
  }
}
