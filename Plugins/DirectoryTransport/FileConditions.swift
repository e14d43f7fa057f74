/// What a call of the system is for, as far as it can be made to fail.
package enum FileCall: Hashable, Sendable, CaseIterable {
  /// Opening a folder and reading its entries.
  case list
  /// Asking what stands at a path.
  case look
  /// Opening a file to read it.
  case open
  /// Reading an open file.
  case read
  /// Making a file.
  case create
  /// Writing into a file.
  case write
  /// Bringing a file's content to the disk.
  case sync
  /// Bringing a folder's names to the disk.
  case syncFolder
  /// Giving a file its name.
  case rename
  /// Removing a file or folder.
  case remove
  /// Making a folder.
  case makeFolder
  /// Watching a folder for changes.
  case watch
}

/// How the file system behaves beyond what it does by itself.
///
/// Errors that no local file system gives, such as a stale handle, are made with it, at the one
/// call that shall fail.
package struct FileConditions: Sendable {
  /// Tells the error number with which a call on a path fails; nil lets the system answer.
  ///
  /// It runs on the thread that makes the call, and may block there as the call might.
  package var failure: @Sendable (FileCall, String) -> Int32?
  /// Tells for how many milliseconds a read of a path is waited for.
  package var patience: @Sendable (String) -> Int

  /// Makes conditions; without arguments those of the system.
  ///
  /// Five seconds are long enough for a large file over a slow share and for a busy machine, and
  /// short enough that some files which somebody has to download first do not hold up a fetch.
  package init(
    failure: @escaping @Sendable (FileCall, String) -> Int32? = { _, _ in nil },
    patience: @escaping @Sendable (String) -> Int = { _ in 5000 }
  ) {
    self.failure = failure
    self.patience = patience
  }
}
