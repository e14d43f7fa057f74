import StrandlineModels
import StrandlineTransport

/// The pages of a group that has been begun and not ended.
struct StagedGroup {
  /// What the pages have in common.
  let header: GroupHeader
  /// The deltas of each page so far.
  private(set) var pages: [[RecordDelta]] = []
  /// The values that lost, as each page named them.
  private var lost: [[ConflictEntry]] = []

  init(header: GroupHeader) {
    self.header = header
  }

  /// All deltas so far.
  var deltas: [RecordDelta] { pages.flatMap(\.self) }

  /// All values so far that lost.
  var conflicts: [ConflictEntry] { lost.flatMap(\.self) }

  /// Takes a page: the next one, or one that is sent again after a lost answer.
  mutating func add(_ page: SendPage) throws(TransportError) {
    guard page.group == header, (0...pages.count).contains(page.page) else {
      throw TransportError(
        .invalidRequest,
        "Could not take page \(page.page) of a group, page \(pages.count) comes next.",
        advice: "Send the group again from its first page.",
        remedy: .retry(afterMilliseconds: nil))
    }
    if page.page == pages.count {
      pages.append(page.deltas)
      lost.append(page.conflicts)
    } else {
      pages[page.page] = page.deltas
      lost[page.page] = page.conflicts
    }
  }

  /// Refuses a group that does not hold as many records as it says.
  func requireCount() throws(TransportError) {
    let count = pages.reduce(0) { $0 + $1.count }
    guard count == header.recordCount else {
      throw TransportError(
        .invalidRequest,
        "Could not take a group, it says that it has \(header.recordCount) records and has "
          + "\(count).",
        advice: "Send the group again from its first page.",
        remedy: .retry(afterMilliseconds: nil))
    }
  }
}
