import StrandlineModels

/// Which of a device's own groups become one.
///
/// The groups of a chain are gathered as log-structured storage does it: from the last one
/// backwards as long as a group is not much larger than all behind it. So each fact is written
/// again only a few times however long the chain grows, few files remain, and their size follows
/// what they still say.
struct Compaction: Hashable {
  /// A group of the chain.
  struct Group: Hashable {
    var group: SegmentGroup
    var bytes: Int
    /// When it was written, by the device's own clock.
    var writtenAt: Int64
  }

  /// The groups that become one, in their order; at least two.
  let groups: [Group]

  /// Finds the groups worth gathering; nil where there are too few.
  init?(of chain: [Group], at now: Int64, limits: DirectoryLimits) {
    guard var start = chain.indices.last else { return nil }
    var bytes = chain[start].bytes
    while start > 0, chain[start - 1].bytes <= 2 * bytes {
      start -= 1
      bytes += chain[start].bytes
    }
    let groups = Array(chain[start...])
    // A clock that was set back says nothing about age.
    let isOld = groups.first.map { now - $0.writtenAt >= limits.closeAfter } ?? false
    guard groups.count >= limits.looseGroups || groups.count > 1 && isOld else { return nil }
    self.groups = groups
  }

  /// Gathers a whole chain, whatever its groups are.
  init(whole chain: [Group]) {
    groups = chain
  }

  /// The size of the groups' files together.
  var bytes: Int { groups.reduce(0) { $0 + $1.bytes } }
}
