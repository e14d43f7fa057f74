import Testing

/// What may happen to devices besides edits, syncs, restarts and a carrier full of faults.
struct FolderScenario: Hashable, Sendable, CustomTestStringConvertible {
  /// Something that happens to one device, or to its folder, once or twice in a run.
  enum Turn: String, Hashable, Sendable, CaseIterable {
    /// A store is put back to an older copy of itself; the folder goes on.
    case storeRestored
    /// A store and its folder are put back together, as a snapshot of a machine is.
    case machineRestored
    /// A store and its folder are copied, and both go on.
    case cloned
    /// A person removes some files of one folder.
    case tidied
    /// A device is gone for good.
    case died
    /// A new device joins.
    case joined
  }

  let name: String
  /// What happens in each run.
  var turns: [Turn] = []
  /// Whether each run draws for itself what happens.
  var isMixed = false
  /// How many of a hundred runs are of this kind.
  let share: Int

  var testDescription: String { name }

  /// Whether all devices must list the same values that lost.
  ///
  /// Clones cannot tell each other's values from their own (C30), and a person may remove the only
  /// file that held a value which had lost already.
  static func comparesConflicts(_ turns: [Turn]) -> Bool {
    !turns.contains(.cloned) && !turns.contains(.tidied)
  }

  static let plain = FolderScenario(name: "plain", share: 36)

  static let all = [
    plain,
    FolderScenario(name: "restored store", turns: [.storeRestored], share: 12),
    FolderScenario(name: "restored machine", turns: [.machineRestored], share: 12),
    FolderScenario(name: "clone", turns: [.cloned], share: 10),
    FolderScenario(name: "tidied", turns: [.tidied], share: 10),
    FolderScenario(name: "death and newcomer", turns: [.died, .joined], share: 10),
    FolderScenario(name: "mixed", isMixed: true, share: 10),
  ]

  /// What happens in one run.
  func turns(_ random: inout some RandomNumberGenerator) -> [Turn] {
    guard isMixed else { return turns }
    let count = Int.random(in: 1...4, using: &random)
    return (0..<count).compactMap { _ in Turn.allCases.randomElement(using: &random) }
  }
}
