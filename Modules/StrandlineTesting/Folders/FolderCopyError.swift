import Foundation
public import Strandline

/// That a copier could not do its work on the disk.
public struct FolderCopyError: ExplainedError {
  /// The stable name.
  public var codeName: String { "folderCopyFailed" }
  /// What could not be done, and why.
  public let message: String
  /// What to do.
  public var advice: String { "Check that the folder is there and may be written." }
  /// The error underneath.
  public let cause: (any Error)?

  init(_ verb: String, _ path: String, cause: any Error) {
    message = "Could not \(verb) '\(path)', \(cause)."
    self.cause = cause
  }

  init(_ verb: String, _ path: String, _ code: Int32) {
    message = "Could not \(verb) '\(path)', \(String(cString: strerror(code)))."
    cause = nil
  }
}
