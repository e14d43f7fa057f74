import StrandlineModels
import StrandlineTransport

/// What one fetch has read so far.
struct FetchPass {
  /// Who reads.
  let reader: DeviceID
  /// How many changes are wanted at least before the page ends.
  let limit: Int
  /// The files of each writer.
  var groups: [DeviceID: [SegmentGroup]] = [:]
  /// Why a writer's folder could not be listed.
  var problems: [DeviceID: String] = [:]
  /// Why the device's own files could not be read now.
  var ownProblem: String?
  /// How far each writer was read.
  var positions: Positions
  private(set) var changes: [FetchedChange] = []
  private(set) var conflicts: [ConflictEntry] = []
  private var hasApplied = false
  /// What each writer that does not go on waits for.
  var waits: [DeviceID: Wait] = [:]
  /// What segments wait for because their writers had read it.
  var missing: Set<MissingRead> = []

  /// A writer's changes that another writer had read and that are not here.
  struct MissingRead: Hashable {
    let writer: DeviceID
    let sequence: Int64
    let reader: DeviceID
  }

  /// Why a writer does not go on.
  enum Wait: Hashable {
    /// Files between two sequences are not there; so many, if that can be told.
    case gap(after: Int64, upTo: Int64, files: Int)
    /// A file is there and cannot be used.
    case fault(GroupFault, after: Int64)
    /// Its folder cannot be listed.
    case folder(problem: String)

    /// Whether a file was listed and is not there.
    var isGone: Bool {
      if case .fault(let fault, _) = self { fault.fault == .gone } else { false }
    }
  }

  init(reader: DeviceID, positions: Positions, limit: Int) {
    self.reader = reader
    self.positions = positions
    self.limit = limit
  }

  /// Whether the page has enough; it always takes at least one group.
  var isFull: Bool { hasApplied && changes.count >= limit }

  /// Takes the changes of a group.
  mutating func apply(_ segments: [Segment], of writer: DeviceID) {
    hasApplied = true
    for segment in segments {
      conflicts += segment.header.conflicts
      let seen = segment.header.vector[reader] ?? 0
      changes += segment.deltas.map {
        FetchedChange(delta: $0, device: writer, seenOfReader: seen)
      }
    }
  }
}

/// How far a device had read the others, as a segment of it said.
struct SeenVector: Hashable, Sendable {
  var device: DeviceInfo
  var vector: [DeviceID: Int64]
  var writtenAt: Int64
}
