import Foundation
package import StrandlineTransport

/// What the system says about a file or folder, as an error of the transport.
extension TransportError {
  /// Explains a failed system call.
  ///
  /// - Parameters:
  ///   - number: The value of `errno`.
  ///   - action: What was to be done, such as `write`.
  ///   - path: The file or folder.
  /// - Returns: An error that says what to do.
  package static func system(
    _ number: Int32, _ action: String, _ path: String
  ) -> TransportError {
    let reason = String(cString: strerror(number))
    let (code, advice) = explanation(of: number)
    return TransportError(
      code, "Could not \(action) '\(path)', the system says: \(reason).", advice: advice,
      remedy: .retry(afterMilliseconds: nil),
      context: ["path": path, "errno": String(number)])
  }

  private static func explanation(of number: Int32) -> (Code, String) {
    switch number {
    case ENOSPC, EDQUOT, EFBIG:
      (.quota, "Make room on that disk; sending goes on by itself.")
    case EACCES, EPERM, EROFS:
      (.notAuthorized, "Allow this user to read and write there; syncing goes on by itself.")
    default:
      (.unreachable, "Check that the disk or share is there; syncing goes on by itself.")
    }
  }

  /// The folder itself is not there.
  static func noFolder(_ path: String) -> TransportError {
    TransportError(
      .zoneNotFound, "Could not open the folder '\(path)', it does not exist.",
      advice: "Create it, or connect the disk or share that holds it; then sync again.",
      remedy: .ask, context: ["path": path])
  }

  /// Something else stands where the folder should be.
  static func notAFolder(_ path: String) -> TransportError {
    TransportError(
      .zoneNotFound, "Could not open the folder '\(path)', it is not a folder.",
      advice: "Name a folder.", remedy: .ask, context: ["path": path])
  }
}
