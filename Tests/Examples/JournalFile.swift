import Foundation
import Strandline
import Synchronization

// What the guide "Write your own transport" shows: the file.

/// A file to which every device appends, and what it has read of it.
final class JournalFile: Sendable {
  private let path: String
  private let queue = DispatchQueue(label: "journal")
  private let known = Mutex<Known>(Known())

  private struct Known {
    var bytes = Data()
    var entries: [JournalEntry] = []
  }

  init(path: String) {
    self.path = path
  }

  /// Does something with the journal while no other process and no other device does.
  ///
  /// Files block, and the threads that run Swift's tasks must not be blocked: the work is done on
  /// a queue.
  func transact<Answer: Sendable>(
    _ work: @escaping @Sendable (inout Journal) throws(TransportError) -> Answer
  ) async throws(TransportError) -> Answer {
    let result = await withCheckedContinuation { done in
      queue.async {
        done.resume(
          returning: Result { () throws(TransportError) in try self.transactNow(work) })
      }
    }
    return try result.get()
  }

  private func transactNow<Answer>(
    _ work: (inout Journal) throws(TransportError) -> Answer
  ) throws(TransportError) -> Answer {
    // The lock has a file of its own, since a purge replaces the journal. It ends with the
    // descriptor, whatever becomes of this process.
    let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw .journal("lock", path) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { throw .journal("lock", path) }
    }
    var journal = Journal(entries: try read())
    let before = journal.entries.count
    let answer = try work(&journal)
    if journal.isRewritten {
      try write(journal.entries, appending: false)
    } else if journal.entries.count > before {
      try write(Array(journal.entries[before...]), appending: true)
    }
    return answer
  }

  /// Reads the journal; what was read before is not decoded again.
  private func read() throws(TransportError) -> [JournalEntry] {
    var bytes = Data()
    if FileManager.default.fileExists(atPath: path) {
      do {
        bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      } catch {
        throw .journal("read", path, cause: error)
      }
    }
    return try known.withLock { (known) throws(TransportError) in
      // A journal that was put back or purged does not begin with what was known of it.
      if bytes.prefix(known.bytes.count) != known.bytes { known = Known() }
      var end = known.bytes.count
      while let frame = frame(in: bytes, at: end) {
        known.entries.append(try entry(Array(bytes[frame]), at: end))
        end = frame.upperBound
      }
      known.bytes = bytes.prefix(end)
      return known.entries
    }
  }

  /// Reads one entry; bytes that are there and are none are damage.
  private func entry(_ bytes: [UInt8], at place: Int) throws(TransportError) -> JournalEntry {
    var cause: WireError?
    do throws(WireError) {
      if let entry = try JournalEntry(bytes) { return entry }
    } catch {
      cause = error
    }
    throw TransportError(
      .damaged, "Could not read the journal '\(path)', its bytes from \(place) make no sense.",
      advice: "Put the file back from a backup.", remedy: .ask, cause: cause)
  }

  /// Where the bytes of the next entry stand; nil where none stands there whole.
  private func frame(in bytes: Data, at start: Int) -> Range<Int>? {
    guard start + 4 <= bytes.count else { return nil }
    let length = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length > 0, start + 4 + length <= bytes.count else { return nil }
    return start + 4..<start + 4 + length
  }

  /// Writes entries so that they stand there whole or not at all, also after a power cut.
  private func write(
    _ entries: [JournalEntry], appending: Bool
  ) throws(TransportError) {
    var bytes = Data()
    for entry in entries {
      let encoded = entry.encode()
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: encoded.count >> (24 - 8 * $0)) }
      bytes += encoded
    }
    let target = appending ? path : path + ".new"
    let file = open(target, O_WRONLY | O_CREAT | O_CLOEXEC | (appending ? 0 : O_TRUNC), 0o644)
    guard file >= 0 else { throw .journal("write", path) }
    defer { close(file) }
    // What an interrupted writer left after the last whole entry is overwritten.
    let start = appending ? known.withLock { $0.bytes.count } : 0
    guard ftruncate(file, off_t(start)) == 0, lseek(file, off_t(start), SEEK_SET) >= 0,
      bytes.withUnsafeBytes({ Foundation.write(file, $0.baseAddress, $0.count) }) == bytes.count,
      fsync(file) == 0
    else { throw .journal("write", path) }
    if !appending { try replace(path, by: target) }
  }

  /// Gives the new file the name of the journal, for good.
  private func replace(_ path: String, by new: String) throws(TransportError) {
    let folder = open(
      URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw .journal("write", path) }
    defer { close(folder) }
    guard rename(new, path) == 0, fsync(folder) == 0 else {
      throw .journal("write", path)
    }
  }

  /// The size of the file, which changes with everything that is appended.
  var size: Int {
    get async {
      await withCheckedContinuation { done in
        queue.async {
          var status = stat()
          done.resume(returning: stat(self.path, &status) == 0 ? Int(status.st_size) : 0)
        }
      }
    }
  }
}

/// What one call sees of the journal, and what it changes.
struct Journal {
  /// All entries; a call appends to them.
  var entries: [JournalEntry]
  /// Whether the file has to be written anew.
  private(set) var isRewritten = false

  init(entries: [JournalEntry]) {
    self.entries = entries
  }

  /// Removes all entries of a zone but the word of who purged it.
  mutating func purge(_ zone: ZoneID, by name: String) {
    entries.removeAll { $0.zone == zone }
    entries.append(.purge(zone: zone, by: name))
    isRewritten = true
  }
}

extension TransportError {
  /// Explains a failed system call by its `errno`.
  fileprivate static func journal(
    _ action: String, _ path: String, cause: (any Error)? = nil
  ) -> TransportError {
    let number = errno
    let reason = cause.map { "\($0.localizedDescription)" } ?? String(cString: strerror(number))
    let isFull = number == ENOSPC || number == EDQUOT
    return TransportError(
      isFull ? .quota : .unreachable,
      "Could not \(action) the journal '\(path)', the system says: \(reason).",
      advice: isFull ? "Make room on that disk." : "Check that the disk is there.",
      remedy: .retry(afterMilliseconds: nil), cause: cause)
  }
}
