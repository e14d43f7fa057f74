import StrandlineModels
import StrandlineTransport

/// The contents of one zone in dictionaries, and the index that puts them in the feed's order.
struct MemoryZoneContents: Sendable {
  /// What a number was given to; the facts themselves stand in the record.
  private enum Origin: Sendable {
    case record(RecordKey)
    case conflict(ConflictEntry)
  }

  var nonces: [Int64: UInt64] = [:]
  var devices: [DeviceID: ZoneDevice] = [:]
  var memos: [DeviceID: AcceptedMemo] = [:]
  var writtenFacts: [DeviceID: Set<WrittenFact>] = [:]
  var staged: [DeviceID: StagedGroup] = [:]
  var stagedPages: [DeviceID: [Int: [RecordDelta]]] = [:]
  private(set) var records: [RecordKey: ZoneRecord] = [:]
  private(set) var knownConflicts: Set<ConflictEntry> = []
  /// Rising numbers; those whose facts were all replaced since are swept out now and then.
  private var feed: [(sequence: Int64, origin: Origin)] = []
  private var nextSweep = 1024

  mutating func save(_ record: ZoneRecord) {
    records[record.key] = record
    append(.record(record.key), at: record.newestSequence)
  }

  mutating func add(_ conflict: ConflictEntry, at sequence: Int64) {
    knownConflicts.insert(conflict)
    append(.conflict(conflict), at: sequence)
  }

  mutating func forgetConflicts(through sequence: Int64) {
    feed.removeAll { entry in
      guard entry.sequence <= sequence, case .conflict(let conflict) = entry.origin else {
        return false
      }
      knownConflicts.remove(conflict)
      return true
    }
  }

  func readFeed(
    after sequence: Int64, deathsAfter deathsRead: Int64, visit: (FeedEntry) -> Bool
  ) {
    for entry in feed[firstIndex(after: sequence)...] {
      guard let content = content(of: entry, deathsAfter: deathsRead) else { continue }
      guard visit(FeedEntry(sequence: entry.sequence, content: content)) else { return }
    }
  }

  private func content(
    of entry: (sequence: Int64, origin: Origin), deathsAfter deathsRead: Int64
  ) -> FeedEntry.Content? {
    switch entry.origin {
    case .conflict(let conflict): return .conflict(conflict)
    case .record(let key):
      guard var change = records[key]?.change(at: entry.sequence) else { return nil }
      if entry.sequence <= deathsRead { change.delta.death = nil }
      return change.delta.isEmpty ? nil : .change(change.delta, change.device)
    }
  }

  private func firstIndex(after sequence: Int64) -> Int {
    var (low, high) = (0, feed.count)
    while low < high {
      let middle = (low + high) / 2
      if feed[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func append(_ origin: Origin, at sequence: Int64) {
    feed.append((sequence, origin))
    guard feed.count >= nextSweep else { return }
    feed = feed.filter { content(of: $0, deathsAfter: 0) != nil }
    nextSweep = max(1024, feed.count * 2)
  }
}
