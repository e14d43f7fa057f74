import Foundation
import StrandlineModels

/// A random token that stands in the store and in a file beside it, by which a store that was put
/// back or copied is recognised.
///
/// The two are made anew each time a process begins to sync. A store file from a backup holds an
/// older token than the file beside it, and one that was copied alone has none beside it; both go on
/// under a new identity before they send anything (C8, C30). A copy of both files is told by what
/// the peers remember instead, and a store that was moved with both is no copy.
///
/// The token before the present one is accepted as well, since a process may end after the store
/// was written and before the file is.
struct InstallToken {
  let path: String

  private static let present = "install"
  private static let previous = "install_previous"

  init(ofStoreAt store: String) {
    path = store + "-install"
  }

  /// What the tokens say of a store.
  private enum Finding {
    /// It was never synced since it learned of tokens.
    case first
    /// It is what it was.
    case same
    /// It is a copy, or was put back.
    case other
  }

  /// Compares the tokens, takes a new identity where they differ, and mints the next one.
  ///
  /// - Parameter transaction: The transaction that the result is recorded in.
  /// - Returns: The token for the file, and whether the identity is a new one.
  /// - Throws: Errors of the store and of the file.
  func renew(in transaction: ReadTransaction) throws -> (token: String, isNewIdentity: Bool) {
    let beside = try read()
    let finding = try finding(beside, transaction)
    if finding == .other { try transaction.beginUnderNewIdentity() }
    let next = RecordID().description
    // What the file has now is accepted until it is written, however often that is prevented.
    if let beside { try set(beside, Self.previous, transaction) }
    try set(next, Self.present, transaction)
    return (next, finding == .other)
  }

  private func finding(
    _ beside: String?, _ transaction: ReadTransaction
  ) throws -> Finding {
    guard let known = try value(Self.present, transaction) else {
      // A file beside a store that knows of none is a later one's: this store is from a backup.
      return beside == nil ? .first : .other
    }
    guard let beside else { return .other }
    let previous = try value(Self.previous, transaction)
    return beside == known || beside == previous ? .same : .other
  }

  private func value(_ key: String, _ transaction: ReadTransaction) throws -> String? {
    try transaction.connection.first(
      "SELECT value FROM strandline_meta WHERE key = ?", [.text(key)]
    ) { $0.text(0) }
  }

  private func set(_ value: String, _ key: String, _ transaction: ReadTransaction) throws {
    try transaction.connection.run(
      """
      INSERT INTO strandline_meta(key, value) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET value = excluded.value
      """, [.text(key), .text(value)])
  }

  // MARK: The file

  /// The token beside the store; nil for none.
  ///
  /// Bytes that are no token are a token of somebody else.
  private func read() throws -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure("read")
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw failure("read") }
    return String(decoding: bytes[..<count], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Writes the token beside the store, as a whole or not at all.
  func write(_ token: String) throws {
    let draft = path + ".new"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure("write") }
    let bytes = Array((token + "\n").utf8)
    let isWritten =
      Foundation.write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    close(descriptor)
    guard isWritten, rename(draft, path) == 0 else {
      let error = failure("write")
      unlink(draft)
      throw error
    }
  }

  private func failure(_ verb: String) -> StorageError {
    let code = errno
    return StorageError(
      code == ENOSPC || code == EDQUOT ? .diskFull : .inputOutput,
      "Could not \(verb) '\(path)', \(String(cString: strerror(code)).lowercased()).",
      advice: "It tells this store from copies of it, and sync waits until it can be used.")
  }
}

extension Store {
  /// Finds out whether the store's file was put back or copied since it was synced last, and takes
  /// a new identity then.
  ///
  /// It is called by whoever holds the store's lease, before anything is sent.
  ///
  /// - Returns: Whether the store took a new identity.
  /// - Throws: Errors of the store; `inputOutput` and `diskFull` for the file beside it.
  @discardableResult
  package func confirmInstallation() async throws -> Bool {
    // A store in memory ends with its process, and nobody can copy it.
    if isInMemory { return false }
    let file = InstallToken(ofStoreAt: path)
    let (token, isNew) = try await administer(durable: true) { try file.renew(in: $0) }
    // Only once it is committed: a file that is ahead of the store would make it a copy.
    try await administer { _ in try file.write(token) }
    return isNew
  }
}
