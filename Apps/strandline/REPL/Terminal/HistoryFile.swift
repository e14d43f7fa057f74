package import Foundation

/// The lines that were typed, kept in a file that several sessions add to at once.
///
/// libedit's own file is not used: it is written as a whole when a session ends, so that the last
/// session to end erases what the others did. Here each entry is one line of UTF-8 in which `\\`,
/// `\n` and `\r` are escaped, added under a lock at the moment it is accepted. A file that has
/// grown too long is replaced under the same lock; whoever waited for the lock notices that the
/// file's name now belongs to another file, and opens that one.
package struct HistoryFile: Sendable {
  /// Where the file is.
  package let url: URL
  /// How many entries are read; a file with twice as many is cut.
  package let limit: Int

  private static let entryBytesLimit = 64 * 1024
  private static let fileBytesLimit = 16 * 1024 * 1024
  private static let attemptsLimit = 16

  /// Names a file; nothing is read or written yet.
  package init(_ url: URL, limit: Int = 10_000) {
    self.url = url
    self.limit = max(1, limit)
  }

  /// Whether a line belongs into a history: lines that begin with a space, that are empty, that
  /// repeat the one before or that hold a secret do not.
  package static func keeps(_ line: String, after previous: String?) -> Bool {
    guard let first = line.unicodeScalars.first, first != " " else { return false }
    return line != previous && !holdsSecret(line) && line.utf8.count <= entryBytesLimit
      && line.contains { !$0.isWhitespace }
  }

  /// Whether a line has a password in an address, or names a secret and its value.
  private static func holdsSecret(_ line: String) -> Bool {
    line.contains(/:\/\/[^\/\s@]*:[^\/\s@]+@/)
      || line.contains(/(?:password|passphrase|secret|token)\s*[=:]\s*\S/.ignoresCase())
      || line.contains(/\bbearer\s+\S/.ignoresCase())
  }

  /// Reads the newest entries, the oldest of them first; a file that is not there has none.
  package func load() throws(TerminalError) -> [String] {
    guard let descriptor = try openLocked(creating: false) else { return [] }
    defer { close(descriptor) }
    let entries = try readEntries(descriptor)
    guard entries.count > 2 * limit else { return Array(entries.suffix(limit)) }
    let kept = Array(entries.suffix(limit))
    try replace(with: kept)
    return kept
  }

  /// Adds an entry; the file is made with access for its owner alone.
  package func append(_ entry: String) throws(TerminalError) {
    guard let descriptor = try openLocked(creating: true) else { return }
    defer { close(descriptor) }
    var line = Self.escape(entry) + "\n"
    // A writer that was killed may have left half a line.
    if try !endsWithNewline(descriptor) { line = "\n" + line }
    try write(line, to: descriptor)
  }

  // MARK: - The file

  /// Opens the file that bears the name at the moment the lock is held.
  private func openLocked(creating: Bool) throws(TerminalError) -> Int32? {
    if creating { try makeFolder() }
    for _ in 0..<Self.attemptsLimit {
      let flags = O_RDWR | O_APPEND | O_CLOEXEC | (creating ? O_CREAT : 0)
      let descriptor = open(url.path, flags, 0o600)
      if descriptor < 0, errno == ENOENT, !creating { return nil }
      guard descriptor >= 0 else { throw failure("open", errno) }
      while flock(descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else {
          let number = errno
          close(descriptor)
          throw failure("lock", number)
        }
      }
      var held = stat()
      var named = stat()
      if fstat(descriptor, &held) == 0, stat(url.path, &named) == 0, held.st_ino == named.st_ino,
        held.st_dev == named.st_dev
      {
        return descriptor
      }
      close(descriptor)
    }
    throw failure("lock", EAGAIN)
  }

  private func makeFolder() throws(TerminalError) {
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw failure("make the folder of", errno)
    }
  }

  private func readEntries(_ descriptor: Int32) throws(TerminalError) -> [String] {
    let size = lseek(descriptor, 0, SEEK_END)
    let start = max(0, Int(size) - Self.fileBytesLimit)
    lseek(descriptor, off_t(start), SEEK_SET)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < Self.fileBytesLimit {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure("read", errno) }
      if count == 0 { break }
      bytes += buffer[..<count]
    }
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if start > 0 { lines.removeFirst() }
    return lines.filter { !$0.isEmpty && $0.count <= 2 * Self.entryBytesLimit }
      .map { Self.unescape(String(decoding: $0, as: UTF8.self)) }
  }

  private func endsWithNewline(_ descriptor: Int32) throws(TerminalError) -> Bool {
    guard lseek(descriptor, 0, SEEK_END) > 0 else { return true }
    lseek(descriptor, -1, SEEK_END)
    var byte: UInt8 = 0
    guard read(descriptor, &byte, 1) == 1 else { throw failure("read", errno) }
    return byte == UInt8(ascii: "\n")
  }

  /// Writes a new file beside the old one and gives it the name; the lock is held.
  private func replace(with entries: [String]) throws(TerminalError) {
    let temporary = url.path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure("shorten", errno) }
    defer { close(descriptor) }
    try write(entries.map { Self.escape($0) + "\n" }.joined(), to: descriptor)
    guard fsync(descriptor) == 0, rename(temporary, url.path) == 0 else {
      throw failure("shorten", errno)
    }
  }

  private func write(_ text: String, to descriptor: Int32) throws(TerminalError) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write", errno) }
      bytes = bytes.dropFirst(count)
    }
  }

  private func failure(_ verb: String, _ number: Int32) -> TerminalError {
    .system(
      "\(verb) the history file '\(url.path)'", number,
      advice: "The session goes on without it; check the folder and its permissions.")
  }

  // MARK: - Entries as lines

  private static func escape(_ entry: String) -> String {
    var out = ""
    for scalar in entry.unicodeScalars {
      switch scalar {
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\0": continue
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  private static func unescape(_ line: String) -> String {
    var out = String.UnicodeScalarView()
    var scalars = line.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "\\" else {
        if scalar != "\0" { out.append(scalar) }
        continue
      }
      switch scalars.next() {
      case "n": out.append("\n")
      case "r": out.append("\r")
      case .some(let other): out.append(other)
      case nil: out.append("\\")
      }
    }
    return String(out)
  }
}
