import Foundation
import Strandline
import StrandlineModels

/// Carries files between copies of a folder as a sync tool does: late, in any order, and in parts.
///
/// Every device of a test has a copy of its own. A step looks at one copy for what its device has
/// changed and carries some files into another; what goes wrong on the way is drawn from a seed
/// and counted. Nothing waits and nothing runs by itself, so that a run can be replayed:
///
/// ```swift
/// let copier = FolderCopier(seed: seed, controls: .faulty)
/// let phone = try await copier.add("/tmp/phone/folder")
/// let laptop = try await copier.add("/tmp/laptop/folder")
/// for _ in 0..<20 { try await copier.step() }
/// try await copier.carryEverything()
/// ```
///
/// Call it while no device is reading or writing its copy, as a simulation in one task does; else
/// a file may be carried that was just being replaced. It needs no Syncthing, and follows its
/// rules: the later of two concurrent changes keeps the name, a change beats a deletion, and the
/// tool's own files are not carried.
public actor FolderCopier {
  /// A version of a file, as the tool knows it.
  struct Version: Sendable {
    let number: Int
    /// The bytes; nil where the file was deleted.
    let content: Data?
    /// When the tool first saw it, as a number that rises.
    let arrival: Int
  }

  /// What the tool knows of one device's copy.
  struct Copy: Sendable {
    let folder: CopiedFolder
    var isOnline = true
    var isGone = false
    /// The version of each file that the copy holds, by the version's number.
    var held: [String: Int] = [:]
    /// What stood in the copy when the tool last looked.
    var marks: [String: CopiedFolder.Mark] = [:]
    /// The contents of files that were so new at that time that a later change need not show.
    var fresh: [String: Data] = [:]
    /// Files that have not arrived whole, and why.
    var unfinished: [String: CopyFault] = [:]

    /// Remembers what stands at a path.
    mutating func look(at path: String, _ mark: CopiedFolder.Mark?, _ content: Data) {
      marks[path] = mark
      fresh[path] = mark?.isFresh == true ? content : nil
    }

    /// Remembers that nothing stands at a path.
    mutating func forget(_ path: String) {
      marks[path] = nil
      fresh[path] = nil
      unfinished[path] = nil
    }

    /// Whether files are carried into and out of it.
    var isReachable: Bool { isOnline && !isGone }
  }

  private let executor = QueueExecutor(label: "strandline.copier")
  var random: SeededGenerator
  var controls: CopyControls
  var copies: [Copy] = []
  var latest: [String: Version] = [:]
  /// What has been done so far.
  public internal(set) var counts = CopyCounts()
  private var arrivals = 0

  /// The queue on which it reads and writes.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Makes a copier that knows no copy yet.
  ///
  /// - Parameters:
  ///   - seed: What everything random follows from.
  ///   - controls: What goes wrong, and how often.
  public init(seed: UInt64, controls: CopyControls = .orderly) {
    random = SeededGenerator(seed: seed)
    self.controls = controls
  }

  // MARK: Copies

  /// Takes a folder as one device's copy, and makes it where it is not there.
  ///
  /// - Returns: The number of the copy.
  /// - Throws: `FolderCopyError`.
  @discardableResult
  public func add(_ path: String) throws -> Int {
    let copy = Copy(folder: CopiedFolder(root: path))
    try copy.folder.make()
    // A tool that does not find its mark takes the folder for one that is not mounted.
    try copy.folder.write(Data(), to: CarrierNames.marker + "/.keep")
    copies.append(copy)
    return copies.count - 1
  }

  /// Sets what goes wrong from now on.
  public func use(_ controls: CopyControls) {
    self.controls = controls
  }

  /// Connects a copy, or cuts it off: nothing is carried into it or out of it meanwhile.
  public func setOnline(_ isOnline: Bool, copy: Int) {
    copies[copy].isOnline = isOnline
  }

  /// Forgets a copy whose device is gone for good, and all that nobody else holds yet.
  public func remove(_ copy: Int) {
    copies[copy].isGone = true
    let others = copies.filter { !$0.isGone }
    for path in latest.keys where !others.contains(where: { $0.held[path, default: 0] > 0 }) {
      latest[path] = nil
    }
  }

  // MARK: Carrying

  /// Looks at a random copy, and carries a few files into another, with the faults of the controls.
  ///
  /// - Throws: `FolderCopyError`.
  public func step() throws {
    let online = copies.indices.filter { copies[$0].isReachable }
    guard let source = online.randomElement(using: &random),
      let target = online.randomElement(using: &random)
    else { return }
    try scan(source)
    var missing = pending(target)
    let count = min(
      missing.count, Int.random(in: 0...max(0, controls.filesPerStep), using: &random))
    for _ in 0..<count {
      let index = Int.random(in: 0..<missing.count, using: &random)
      try carry(missing.remove(at: index), to: target)
    }
    try repeatSomething(in: target)
  }

  /// Carries everything that is missing anywhere, without faults, until all copies are equal.
  ///
  /// Copies that are not connected stay as they are.
  ///
  /// - Returns: The paths of what was carried, one for each copy that it was carried to.
  /// - Throws: `FolderCopyError`.
  @discardableResult
  public func carryEverything() throws -> [String] {
    let usual = controls
    controls = .orderly
    defer { controls = usual }
    let online = copies.indices.filter { copies[$0].isReachable }
    var carried: [String] = []
    for index in online { try scan(index) }
    while true {
      var isQuiet = true
      for index in online {
        for path in pending(index).shuffled(using: &random) {
          try carry(path, to: index)
          carried.append(path)
          isQuiet = false
        }
        // A conflict leaves a new file, which is carried like any other.
        try scan(index)
      }
      if isQuiet { return carried }
    }
  }

  /// The files that a copy lacks, the oldest first.
  func pending(_ index: Int) -> [String] {
    let held = copies[index].held
    return latest.filter { held[$0.key, default: 0] < $0.value.number }
      .sorted { ($0.value.arrival, $0.key) < ($1.value.arrival, $1.key) }.map(\.key)
  }

  /// The next number that rises.
  func nextArrival() -> Int {
    arrivals += 1
    return arrivals
  }

  /// Draws whether something of a probability happens.
  func draws(_ fault: CopyFault) -> Bool {
    let rate = controls.rates[fault] ?? 0
    guard rate > 0, Double.random(in: 0..<1, using: &random) < rate else { return false }
    counts.faults[fault, default: 0] += 1
    return true
  }
}
