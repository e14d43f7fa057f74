import StrandlineModels

/// The files of one published group, as far as they are there.
struct SegmentGroup: Hashable, Sendable {
  /// The files in the order of their parts, at least one.
  let files: [SegmentName]

  private var first: SegmentName { files[0] }
  /// The writer's sequence after which the group begins.
  var base: Int64 { first.base }
  /// The writer's sequence at which the group ends.
  var sequence: Int64 { first.sequence }
  /// How often the range was compacted.
  var generation: Int { first.generation }
  /// Whether it covers what other writers had published.
  var isCover: Bool { first.isCover }
  /// How many files belong to the group.
  var parts: Int { first.parts }
  /// Whether all of them are there.
  var isComplete: Bool { files.count == parts }

  /// The hash that the next segment names as its predecessor's.
  var link: [UInt8] {
    let hashes = files.flatMap { Hexadecimal.bytes($0.hash) ?? [] }
    return files.count == 1 ? hashes : ContentHash.of(hashes)
  }

  /// Puts the files of one writer's folder together, in the order of their ranges.
  static func groups(of names: [SegmentName]) -> [SegmentGroup] {
    var groups: [Key: [Int: SegmentName]] = [:]
    for name in names.sorted(by: { $0.hash < $1.hash }) {
      let key = Key(
        base: name.base, sequence: name.sequence, generation: name.generation,
        isCover: name.isCover, parts: name.parts, tagOrHash: name.tag ?? name.hash)
      if groups[key]?[name.part] == nil { groups[key, default: [:]][name.part] = name }
    }
    return groups.values.map { files in
      SegmentGroup(files: files.sorted { $0.key < $1.key }.map(\.value))
    }.sorted {
      ($0.base, $0.sequence, $0.generation, $0.first.hash)
        < ($1.base, $1.sequence, $1.generation, $1.first.hash)
    }
  }

  private struct Key: Hashable {
    let base: Int64
    let sequence: Int64
    let generation: Int
    let isCover: Bool
    let parts: Int
    let tagOrHash: String
  }
}
