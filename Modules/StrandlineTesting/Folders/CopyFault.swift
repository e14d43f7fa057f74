/// Something that a tool which carries files does at times, and that readers must bear.
public enum CopyFault: String, Hashable, Sendable, CaseIterable {
  /// A file is passed over and arrives later than others.
  case delay
  /// A file appears under its final name with its beginning only, and grows.
  case prefix
  /// A file is cut at a random byte, and replaced by the good one later.
  case truncation
  /// A file has its length and only zeros in it, as after a power loss, until it is replaced.
  case zeros
  /// A byte of a file was changed on the way, until it is replaced.
  case damage
  /// A file stands under the tool's temporary name for a while.
  case temporary
  /// A file that replaces another leaves the other beside it, under a conflict name.
  case conflictCopy
  /// A file that has arrived is written once more.
  case repetition
  /// A folder in which nothing is left is removed.
  case folderRemoval

  /// What can happen to a file that is carried for the first time, in the order of the draw.
  static let ofContents: [CopyFault] = [.delay, .prefix, .truncation, .zeros, .damage, .temporary]

  /// Whether what stands under the file's name meanwhile is not the file.
  var isHalf: Bool { [.prefix, .truncation, .zeros, .damage, .temporary].contains(self) }
}

/// What a copier does wrong, and how often.
public struct CopyControls: Hashable, Sendable {
  /// How probable each fault is for each file that is carried, from 0 to 1.
  public var rates: [CopyFault: Double]
  /// How many files one step carries at most.
  public var filesPerStep: Int

  /// Makes controls.
  public init(rates: [CopyFault: Double] = [:], filesPerStep: Int = 8) {
    self.rates = rates
    self.filesPerStep = filesPerStep
  }

  /// Nothing goes wrong, but the order is any.
  public static let orderly = CopyControls()

  /// Everything goes wrong now and then.
  public static let faulty = CopyControls(
    rates: [
      .delay: 0.2, .prefix: 0.1, .truncation: 0.05, .zeros: 0.05, .damage: 0.05, .temporary: 0.1,
      .conflictCopy: 0.1, .repetition: 0.1, .folderRemoval: 0.3,
    ])
}

/// What a copier has done so far.
public struct CopyCounts: Hashable, Sendable {
  /// Files that arrived whole.
  public internal(set) var carried = 0
  /// Files that arrived whole after they had been there in part, damaged or by another name.
  public internal(set) var mended = 0
  /// Files that arrived before an older one of their folder.
  public internal(set) var outOfOrder = 0
  /// Deletions that were carried before a file that had been added earlier or later.
  public internal(set) var deletedBeforeAddition = 0
  /// Deletions that were carried when every file of their folder had arrived.
  public internal(set) var deletedAfterAddition = 0
  /// Files that were changed in two copies at once.
  public internal(set) var collisions = 0
  /// Copies that were put back to an older state.
  public internal(set) var putBack = 0
  /// How often each fault happened.
  public internal(set) var faults: [CopyFault: Int] = [:]

  /// Starts with nothing.
  public init() {}

  /// Adds what another copier did.
  public static func += (left: inout CopyCounts, right: CopyCounts) {
    left.carried += right.carried
    left.mended += right.mended
    left.outOfOrder += right.outOfOrder
    left.deletedBeforeAddition += right.deletedBeforeAddition
    left.deletedAfterAddition += right.deletedAfterAddition
    left.collisions += right.collisions
    left.putBack += right.putBack
    left.faults.merge(right.faults, uniquingKeysWith: +)
  }

  /// The names of the faults that never happened, so that a test can ask for all of them.
  public var missingFaults: [String] {
    CopyFault.allCases.filter { faults[$0, default: 0] == 0 }.map(\.rawValue)
  }
}
