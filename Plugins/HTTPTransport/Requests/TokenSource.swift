import Foundation
import StrandlineTransport
import Synchronization

/// The access token: from its file, which may be replaced at any time, or as it was given.
final class TokenSource: Sendable {
  private static let bytesLimit = 4096

  private let file: String?
  private let given: Secret?
  private let known = Mutex<Secret?>(nil)
  /// Reads block where the file is on a share or is a pipe, so they have a queue of their own.
  private let queue = DispatchQueue(label: "strandline-http-token")

  /// Names where the token is; a file comes before a text.
  init(file: String?, given: Secret?) {
    self.file = file
    self.given = given
  }

  /// The token that was read last, or nil where none was named or its file is empty.
  ///
  /// - Throws: `notAuthorized` where the named file holds none; it names the file.
  func current() async throws(TransportError) -> Secret? {
    if let token = known.withLock({ $0 }) { return token }
    return try await latest()
  }

  /// The token as it stands in its file now: it may have been replaced by another account's, or
  /// emptied to sign out.
  ///
  /// - Throws: As ``current()``.
  func latest() async throws(TransportError) -> Secret? {
    guard let file else {
      guard let given else { return nil }
      return try Self.checked(given.text, "the given text")
    }
    let before = known.withLock { $0 }
    if before != nil, !Self.isReadAgain(file) { return before }
    known.withLock { $0 = nil }
    let token = try await read(file)
    known.withLock { $0 = token }
    return token
  }

  /// Reads the file again after a token was refused.
  ///
  /// - Returns: The token that stands there now, or nil where it is the one that was refused.
  func replacement(for refused: Secret) async -> Secret? {
    guard let file else { return nil }
    do throws(TransportError) {
      let token = try await read(file)
      known.withLock { $0 = token }
      return token == refused ? nil : token
    } catch {
      // The file is being replaced or is gone; the refusal is what the person hears of.
      return nil
    }
  }

  /// Whether a file is there for longer than one reading; a pipe of the shell's `<(…)` is not.
  private static func isReadAgain(_ file: String) -> Bool {
    var facts = stat()
    return stat(file, &facts) != 0 || facts.st_mode & S_IFMT != S_IFIFO
  }

  private func read(_ file: String) async throws(TransportError) -> Secret? {
    let result: Result<Secret?, TransportError> = await withCheckedContinuation { continuation in
      queue.async {
        do throws(TransportError) {
          continuation.resume(returning: .success(try Self.readNow(file)))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }

  private static func readNow(_ file: String) throws(TransportError) -> Secret? {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      data = try handle.read(upToCount: bytesLimit + 1) ?? Data()
    } catch {
      throw TransportError(
        .notAuthorized, "Could not read the access token in '\(file)'.",
        advice: "Check that the file is there and may be read.", remedy: .waitForAccount,
        cause: error)
    }
    let text = String(decoding: data, as: UTF8.self)
    if text.allSatisfy(\.isWhitespace) { return nil }
    return try checked(text, "the file '\(file)'")
  }

  /// A token is printable ASCII without spaces; anything else is no header's value.
  private static func checked(
    _ text: String, _ place: String
  ) throws(TransportError) -> Secret {
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...bytesLimit).contains(token.utf8.count),
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else {
      throw TransportError(
        .notAuthorized, "Could not use an access token, \(place) holds none.",
        advice: "Put what 'strandline-server token create' printed there, and nothing else.",
        remedy: .waitForAccount)
    }
    return Secret(token)
  }
}
