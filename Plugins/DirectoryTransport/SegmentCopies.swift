import StrandlineModels

/// The copies that sync tools have made of segments, as far as listings have shown them.
///
/// A carrier that sees two contents under one name keeps one as a copy with a name of its own
/// making. Usually the copy is the worse one; sometimes it is all that there is of a segment.
struct SegmentCopies {
  /// How many copies of one folder are looked into; more are only counted.
  static let limit = 1000

  /// The paths of copies that claim to be a segment, by the segment's own path.
  private var claims: [String: [String]] = [:]
  /// The copies that turned out to be nobody's segment, as they were then.
  private var rejected: [String: Files.Mark] = [:]
  /// What the copies are whose names do not tell it, as they were then.
  private var identified: [String: Identified] = [:]
  /// How many copies each folder holds that are not used, by its path.
  private var unused: [String: Int] = [:]
  /// How many segments of each folder are there only as copies, by its path.
  private var used: [String: Int] = [:]

  private struct Identified {
    let mark: Files.Mark
    let name: SegmentName
  }

  /// The copies of a segment.
  func claims(of path: String) -> [String] { claims[path] ?? [] }

  /// Takes what a listing of a writer's folder has shown.
  mutating func note(_ found: [String: [String]], used: Int, unused: Int, in folder: String) {
    let prefix = folder + "/"
    for path in claims.keys where path.hasPrefix(prefix) { claims[path] = nil }
    claims.merge(found) { _, new in new }
    self.used[folder] = used == 0 ? nil : used
    self.unused[folder] = unused == 0 ? nil : unused
  }

  /// Takes how many copies a listing of another folder has shown.
  mutating func note(_ count: Int, in folder: String) {
    unused[folder] = count == 0 ? nil : count
  }

  /// Whether a copy was looked into before and is unchanged.
  func isRejected(_ path: String, _ mark: Files.Mark?) -> Bool {
    mark != nil && rejected[path] == mark
  }

  /// Remembers that a copy is nobody's segment.
  mutating func reject(_ path: String, _ mark: Files.Mark?) {
    if rejected.count >= Self.limit { rejected.removeAll() }
    rejected[path] = mark
  }

  /// The segment that an unchanged copy was found to be.
  func name(of path: String, _ mark: Files.Mark?) -> SegmentName? {
    identified[path].flatMap { $0.mark == mark ? $0.name : nil }
  }

  /// Remembers which segment a copy is.
  mutating func identify(_ path: String, _ mark: Files.Mark?, as name: SegmentName) {
    if identified.count >= Self.limit { identified.removeAll() }
    identified[path] = mark.map { Identified(mark: $0, name: name) }
  }

  /// What is said about the copies below a zone's folder.
  func notices(below folder: String) -> [String] {
    func count(_ numbers: [String: Int]) -> Int {
      numbers.reduce(0) {
        $1.key == folder || $1.key.hasPrefix(folder + "/") ? $0 + $1.value : $0
      }
    }
    var sentences: [String] = []
    switch count(unused) {
    case 0: break
    case 1: sentences.append("1 copy made by a sync tool is ignored in the folder.")
    case let number:
      sentences.append("\(number) copies made by a sync tool are ignored in the folder.")
    }
    switch count(used) {
    case 0: break
    case 1: sentences.append("1 file is there only as a copy that a sync tool made; it is read.")
    case let number:
      sentences.append(
        "\(number) files are there only as copies that a sync tool made; they are read.")
    }
    return sentences
  }
}
