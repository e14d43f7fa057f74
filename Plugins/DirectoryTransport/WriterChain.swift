import StrandlineModels
import StrandlineTransport

/// Whether one writer's files continue what was read of it, judged by their names.
enum WriterChain {
  /// Whether the files do not make one chain with a position in it.
  static func isBroken(
    _ groups: [SegmentGroup], at position: Positions.Position
  ) -> Bool {
    guard let end = groups.map(\.sequence).max() else { return false }
    let originals = groups.filter { $0.generation == 0 && $0.isComplete }
    for (left, right) in zip(originals, originals.dropFirst()) where right.base < left.sequence {
      return true
    }
    guard position.sequence > 0 else { return false }
    return end < position.sequence
      || originals.contains {
        $0.base < position.sequence && position.sequence < $0.sequence
          || $0.sequence == position.sequence && $0.link != position.link
      }
  }

  /// The whole groups that continue a sequence, the best first.
  static func candidates(_ groups: [SegmentGroup], after sequence: Int64) -> [SegmentGroup] {
    groups.filter { $0.isComplete && $0.base <= sequence && $0.sequence > sequence }
      .sorted { ($0.generation, $0.sequence) > ($1.generation, $1.sequence) }
  }

  /// What is missing between a sequence and the files that are there.
  static func gap(_ groups: [SegmentGroup], after sequence: Int64) -> FetchPass.Wait? {
    guard let next = groups.filter({ $0.sequence > sequence }).min(by: { $0.base < $1.base })
    else { return nil }
    if next.base <= sequence {
      return .gap(
        after: sequence, upTo: next.sequence, files: next.parts - next.files.count)
    }
    return .gap(after: sequence, upTo: next.base, files: 1)
  }

  /// A hash over the names of some groups' files.
  static func digest(_ groups: [SegmentGroup]) -> [UInt8] {
    let names = groups.flatMap { $0.files.map(\.text) }.sorted().joined(separator: "\n")
    return ContentHash.of(Array(names.utf8))
  }
}
