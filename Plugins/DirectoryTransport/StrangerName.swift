import StrandlineModels

/// What a name that the transport did not give says about its file.
enum StrangerName: Hashable, Sendable {
  /// Somebody is writing it, or hides it: the carrier's own business.
  case unfinished
  /// A copy of one of the transport's files that a sync tool or a person has made.
  case copy
  /// Anything else.
  case other

  private static let unfinishedEnds = [
    "~", ".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".!sync", ".lock",
  ]
  private static let ownMarks = [".seg", ".ack", ".space.", ".join.", ".purge.", ".cover."]

  init(_ name: String) {
    let name = name.lowercased()
    if name.hasPrefix(".") || name.hasPrefix("~")
      || Self.unfinishedEnds.contains(where: name.hasSuffix)
    {
      self = .unfinished
    } else if Self.ownMarks.contains(where: { name.contains($0) })
      || SegmentName(within: name) != nil
    {
      self = .copy
    } else {
      self = .other
    }
  }
}

extension SegmentName {
  private static let longestName = 120

  /// Finds the segment that a copy's name speaks of, wherever its name stands in it.
  ///
  /// Sync tools put their marks after the name, before its ending or in front of it, and change
  /// its case: `NAME.sync-conflict-20250101-101010-ABCDEFG.seg`, `NAME (1).seg`, `NAME-LAPTOP.seg`,
  /// `Copy of NAME.seg`.
  init?(within name: String) {
    let text = name.lowercased()
    guard let start = text.firstRange(of: /[0-9]{19}-[0-9]{19}\./)?.lowerBound else { return nil }
    let rest = text[start...].prefix(Self.longestName)
    for end in (rest.indices + [rest.endIndex]).reversed() {
      if let found = SegmentName(rest[..<end] + ".seg") {
        self = found
        return
      }
    }
    return nil
  }
}
