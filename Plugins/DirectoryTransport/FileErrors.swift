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
  ///   - owner: Whose it is, where that matters and can be told.
  /// - Returns: An error that says what to do.
  package static func system(
    _ number: Int32, _ action: String, _ path: String, owner: String? = nil
  ) -> TransportError {
    let reason = String(cString: strerror(number))
    let (code, advice) = explanation(of: number)
    let belonging = owner.map { "it belongs to \($0) and " } ?? ""
    return TransportError(
      code, "Could not \(action) '\(path)', \(belonging)the system says: \(reason).",
      advice: advice, remedy: .retry(afterMilliseconds: nil),
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

  /// A link stands where one of the transport's own folders should be.
  static func link(_ name: String, _ action: String, _ path: String) -> TransportError {
    TransportError(
      .notAuthorized,
      "Could not \(action) '\(path)', '\(name)' on the way there is a link and not a folder.",
      advice: "Put a folder in the place of the link; links are not followed inside the folder.",
      remedy: .retry(afterMilliseconds: nil), context: ["path": path])
  }

  /// A listing does not end.
  static func tooManyEntries(_ path: String, limit: Int) -> TransportError {
    TransportError(
      .tooLarge, "Could not list '\(path)', it has more than \(limit) entries.",
      advice: "Remove what does not belong there; syncing goes on by itself.",
      remedy: .retry(afterMilliseconds: nil), context: ["path": path])
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

extension Files {
  private static let nameBufferLength = 16_384

  /// The error of a refused call; where it is about rights, it tells whose the file is.
  func refusal(_ number: Int32, _ action: String, _ path: String) -> TransportError {
    .system(
      number, action, path,
      owner: number == EACCES || number == EPERM ? Self.owner(of: path) : nil)
  }

  /// The error of a refused call.
  func refusal(_ refused: Refused, _ action: String, _ path: String) -> TransportError {
    if let link = refused.link { return .link(link, action, path) }
    return refusal(refused.number, action, path)
  }

  /// The owner of a file, or of the folder nearest to it that can be seen.
  private static func owner(of path: String) -> String? {
    var (place, status) = (path, stat())
    while lstat(place, &status) != 0 {
      guard let slash = place.utf8.lastIndex(of: UInt8(ascii: "/")), slash > place.startIndex
      else { return nil }
      place = String(place[..<slash])
    }
    let id = status.st_uid
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: nameBufferLength) { buffer in
      var (user, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
      guard let base = buffer.baseAddress else { return String?.none }
      let result = getpwuid_r(id, &user, base, buffer.count, &found)
      guard result == 0, found != nil, let start = user.pw_name else { return String?.none }
      return String(cString: start)
    }
    return name ?? "user \(id)"
  }
}
