import Foundation
import Strandline

/// The files of one copy of a folder, read and written as a tool that carries them does.
struct CopiedFolder: Sendable {
  /// What tells without reading that a file is another than before.
  struct Mark: Hashable, Sendable {
    let inode: UInt64
    let size: Int64
    let seconds: Int
    let nanoseconds: Int

    /// Whether the file is so new that a change from now on may leave its mark as it is: the
    /// system's times of change advance in steps of some milliseconds.
    var isFresh: Bool {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let age = (now.tv_sec - seconds) * 1_000_000_000 + now.tv_nsec - nanoseconds
      return age < 50_000_000
    }
  }

  private static let depthLimit = 12

  let root: String

  private func full(_ path: String) -> String { root + "/" + path }

  /// All files below the root but the tool's own, by their paths.
  func files() throws(FolderCopyError) -> [String: Mark] {
    var found: [String: Mark] = [:]
    try list("", depth: 0, into: &found)
    return found
  }

  private func list(
    _ folder: String, depth: Int, into found: inout [String: Mark]
  ) throws(FolderCopyError) {
    guard depth < Self.depthLimit else { throw FolderCopyError("read", full(folder), ELOOP) }
    for name in try names(in: folder) where !CarrierNames.isOwn(name) {
      let path = folder.isEmpty ? name : folder + "/" + name
      var status = stat()
      // A file that went since the listing is a file that is not there.
      guard lstat(full(path), &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try list(path, depth: depth + 1, into: &found)
      case S_IFREG: found[path] = Mark(status)
      default: continue
      }
    }
  }

  private func names(in folder: String) throws(FolderCopyError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: full(folder)).sorted()
    } catch {
      throw FolderCopyError("read", full(folder), cause: error)
    }
  }

  /// The mark of a file; nil where there is none.
  func mark(_ path: String) -> Mark? {
    var status = stat()
    return lstat(full(path), &status) == 0 ? Mark(status) : nil
  }

  /// A file's content; nil where it has gone.
  func read(_ path: String) throws(FolderCopyError) -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: full(path)))
    } catch {
      if mark(path) == nil { return nil }
      throw FolderCopyError("read", full(path), cause: error)
    }
  }

  /// Writes a file in its place, so that a reader may meet any beginning of it.
  func write(_ content: Data, to path: String) throws(FolderCopyError) {
    let url = URL(fileURLWithPath: full(path))
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try content.write(to: url)
    } catch {
      throw FolderCopyError("write", url.path, cause: error)
    }
  }

  /// Gives a file another name; what had that name is gone.
  func move(_ path: String, to other: String) throws(FolderCopyError) {
    guard rename(full(path), full(other)) == 0 else {
      throw FolderCopyError("rename", full(path), errno)
    }
  }

  /// Removes a file, if it is there.
  func remove(_ path: String) throws(FolderCopyError) {
    guard unlink(full(path)) == 0 || errno == ENOENT else {
      throw FolderCopyError("remove", full(path), errno)
    }
  }

  /// Whether nothing is left in the folder of a file that was removed.
  func isEmptied(above path: String) -> Bool {
    guard let slash = path.lastIndex(of: "/") else { return false }
    let folder = full(String(path[..<slash]))
    // A folder that cannot be listed is left alone.
    return (try? FileManager.default.contentsOfDirectory(atPath: folder).isEmpty) ?? false
  }

  /// Removes the folders on the way to a file in which nothing is left.
  func removeEmptyFolders(above path: String) {
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      guard rmdir(full(folder)) == 0 else { return }
    }
  }

  /// Removes everything below the root.
  func empty() throws(FolderCopyError) {
    for name in try names(in: "") {
      do {
        try FileManager.default.removeItem(atPath: full(name))
      } catch {
        throw FolderCopyError("remove", full(name), cause: error)
      }
    }
  }

  /// Makes the root where it is not there.
  func make() throws(FolderCopyError) {
    do {
      try FileManager.default.createDirectory(
        atPath: root, withIntermediateDirectories: true)
    } catch {
      throw FolderCopyError("create", root, cause: error)
    }
  }
}

extension CopiedFolder.Mark {
  fileprivate init(_ status: stat) {
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }
}

/// The names that tools which carry files give to files of their own.
enum CarrierNames {
  /// The file that tells a tool that the folder is there.
  static let marker = ".stfolder"
  /// Where a tool keeps files that were replaced or deleted.
  static let versions = ".stversions"

  /// Whether a file or folder is the tool's own, which it does not carry.
  static func isOwn(_ name: String) -> Bool {
    name == marker || name == versions
      || (name.hasPrefix(".syncthing.") || name.hasPrefix("~syncthing~")) && name.hasSuffix(".tmp")
  }

  /// A temporary name of a file, in one of two spellings.
  static func temporary(_ path: String, isDotted: Bool) -> String {
    let (folder, name) = split(path)
    return folder + (isDotted ? ".syncthing.\(name).tmp" : "~syncthing~\(name).tmp")
  }

  /// The name of a copy that lost a conflict.
  static func conflict(_ path: String, number: Int, device: Int) -> String {
    let (folder, name) = split(path)
    let dot = name.lastIndex(of: ".") ?? name.endIndex
    let date = "20270115-" + padded(number % 1_000_000, to: 6)
    let mark = "DEVICE" + String(device % 10)
    return folder + name[..<dot] + ".sync-conflict-\(date)-\(mark)" + name[dot...]
  }

  /// Where an older version of a file is kept.
  static func version(_ path: String, number: Int) -> String {
    "\(versions)/\(path)~20270115-\(padded(number % 1_000_000, to: 6))"
  }

  private static func padded(_ number: Int, to width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  private static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("", path) }
    return (String(path[...slash]), String(path[path.index(after: slash)...]))
  }
}
