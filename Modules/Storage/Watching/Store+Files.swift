import Foundation

extension Store {
  /// Whether a path leads to one of the files that SQLite has open for this store.
  ///
  /// Nothing else in the process may open such a file: to close any descriptor of it ends all
  /// locks that SQLite has on it, and the next process that closes the store takes its log away
  /// from under this one.
  package func owns(fileAt path: String) -> Bool {
    var file = stat()
    guard stat(path, &file) == 0 else { return false }
    let database = URL(fileURLWithPath: self.path).resolvingSymlinksInPath().path
    return ["", "-wal", "-shm"].contains { suffix in
      var own = stat()
      return stat(database + suffix, &own) == 0 && own.st_dev == file.st_dev
        && own.st_ino == file.st_ino
    }
  }
}
