import StrandlineModels
import StrandlineTransport

/// Whether one writer's files continue what was read of it, judged by their names.
enum WriterChain {
  /// Whether the files do not make one chain with a position in it.
  static func isBroken(
    _ groups: [SegmentGroup], at position: Positions.Position
  ) -> Bool {
    guard let end = groups.map(\.sequence).max() else { return false }
    if !position.readWhole.isEmpty || overlaps(groups) { return true }
    let originals = groups.filter { $0.generation == 0 && $0.isComplete }
    guard position.sequence > 0 else { return false }
    return end < position.sequence
      || originals.contains {
        $0.base < position.sequence && position.sequence < $0.sequence
          || $0.sequence == position.sequence && $0.link != position.link
      }
  }

  /// Whether two stores have written under the writer's identity: one sequence means two things.
  ///
  /// The links are compared and not the files, since a range that was gathered again has other
  /// files and the same link (C23).
  static func isForked(_ groups: [SegmentGroup], at position: Positions.Position) -> Bool {
    overlaps(groups)
      || groups.contains {
        $0.generation == 0 && $0.isComplete && $0.sequence == position.sequence
          && !position.link.isEmpty && $0.link != position.link
      }
  }

  /// Whether two original groups cover one sequence.
  private static func overlaps(_ groups: [SegmentGroup]) -> Bool {
    let originals = groups.filter { $0.generation == 0 && $0.isComplete }
    return zip(originals, originals.dropFirst()).contains { $1.base < $0.sequence }
  }

  /// Whether groups that were read make one chain from the beginning to a sequence, so that the
  /// writer can be followed from there as usual.
  static func isOneChain(_ headers: [SegmentGroup: Segment.Header], upTo end: Int64) -> Bool {
    let groups = headers.keys.sorted { ($0.base, $0.sequence) < ($1.base, $1.sequence) }
    guard !overlaps(groups) else { return false }
    var position = Positions.Position()
    while let next = candidates(groups, after: position.sequence).first,
      let header = headers[next]
    {
      guard next.generation > 0 || header.previous == position.link else { return false }
      position.sequence = next.sequence
      position.link = header.chain.isEmpty ? next.link : header.chain
    }
    return position.sequence == end && groups.allSatisfy { $0.sequence <= end }
  }

  /// The whole groups that continue a sequence, the best first.
  static func candidates(_ groups: [SegmentGroup], after sequence: Int64) -> [SegmentGroup] {
    groups.filter { $0.isComplete && $0.base <= sequence && $0.sequence > sequence }
      .sorted { ($0.generation, $0.sequence) > ($1.generation, $1.sequence) }
  }

  /// The groups that a reader goes through from a sequence on, as far as they are there.
  static func chain(_ groups: [SegmentGroup], after start: Int64 = 0) -> [SegmentGroup] {
    var chain: [SegmentGroup] = []
    while let next = candidates(groups, after: chain.last?.sequence ?? start).first {
      chain.append(next)
    }
    return chain
  }

  /// Whether the groups, by their names, hold all that was published up to a sequence.
  static func reaches(
    _ groups: [SegmentGroup], from start: Int64, to end: Int64
  ) -> Bool {
    var place = start
    while place < end {
      let next = groups.filter { $0.isComplete && $0.base <= place && $0.sequence > place }
      guard let furthest = next.map(\.sequence).max() else { return false }
      place = furthest
    }
    return true
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
