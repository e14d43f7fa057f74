import Foundation

/// The names of all files below a folder, looked at again and again as cheaply as it allows.
///
/// A folder whose time of change and number are those of two earlier listings is not listed again,
/// except in a thorough look, since not every file system keeps such times. Files are looked at
/// only while they may still be growing; what has its size stays as it is. Hidden files do not
/// count. All of this only decides when somebody is told to read the folder.
package final class FolderSurvey {
  private static let depthLimit = 6
  /// How many of a folder's newest files are looked at until they have settled.
  private static let growingLimit = 200
  /// Up to how many files of a folder are told apart by size and time, too, when it is listed:
  /// only small folders hold files that are replaced.
  private static let smallFolder = 64
  /// After how many looks without a change a file has settled.
  private static let settled = 6

  private struct Mark: Hashable {
    let device: UInt64
    let node: UInt64
    let seconds: Int
    let nanoseconds: Int
  }

  private struct Growing: Hashable {
    var size: Int64
    var seconds: Int
    var nanoseconds: Int
    var looks = 0
  }

  private struct Known {
    var mark: Mark
    /// How many listings have shown the same under this mark.
    var listings = 0
    var names: Set<Int> = []
    var folders: [String] = []
    var growing: [String: Growing] = [:]
  }

  private let root: String
  private let conditions: FileConditions
  private var known: [String: Known] = [:]
  /// The folders that the last look found, and which folder stood there: a number of the system's.
  package private(set) var folders: [String: UInt64] = [:]

  /// Makes a survey that has seen nothing yet.
  package init(of root: String, conditions: FileConditions = FileConditions()) {
    self.root = root
    self.conditions = conditions
  }

  /// Looks at the folder; tells whether anything is different from the last look.
  package func look(isThorough: Bool = false) -> Bool {
    folders = [:]
    var isChanged = visit(root, depth: 0, isThorough)
    for path in known.keys where folders[path] == nil {
      known[path] = nil
      isChanged = true
    }
    return isChanged
  }

  private func visit(_ path: String, depth: Int, _ isThorough: Bool) -> Bool {
    var status = stat()
    guard depth < Self.depthLimit, conditions.failure(.look, path) == nil,
      (depth == 0 ? stat(path, &status) : lstat(path, &status)) == 0,
      status.st_mode & S_IFMT == S_IFDIR
    else { return false }
    let mark = Mark(
      device: UInt64(status.st_dev), node: UInt64(status.st_ino),
      seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    folders[path] = mark.node
    let before = known[path]
    var folder = before?.mark == mark ? before ?? Known(mark: mark) : Known(mark: mark)
    var isChanged = false
    if isThorough || folder.listings < 2 {
      list(path, into: &folder, before)
      isChanged = folder.names != before?.names
      folder.listings = isChanged ? 1 : folder.listings + 1
    }
    if lookAtGrowing(path, &folder) { isChanged = true }
    known[path] = folder
    for name in folder.folders {
      if visit(path + "/" + name, depth: depth + 1, isThorough) { isChanged = true }
    }
    return isChanged
  }

  private func list(_ path: String, into folder: inout Known, _ before: Known?) {
    guard conditions.failure(.list, path) == nil, let stream = opendir(path) else { return }
    defer { closedir(stream) }
    (folder.names, folder.folders) = ([], [])
    folder.growing = before?.growing ?? [:]
    var files: [String] = []
    while let entry = readdir(stream) {
      let name = entryName(of: entry)
      guard !name.hasPrefix(".") else { continue }
      switch Int(entry.pointee.d_type) {
      case Int(DT_DIR), Int(DT_UNKNOWN):
        folder.folders.append(name)
        folder.names.insert(Self.number(name, nil))
      default: files.append(name)
      }
    }
    let isSmall = files.count <= Self.smallFolder
    for name in files.sorted().reversed() {
      let size = isSmall ? size(of: path + "/" + name) : nil
      let number = Self.number(name, size)
      folder.names.insert(number)
      guard folder.growing[name] == nil, before?.names.contains(number) != true else { continue }
      if folder.growing.count < Self.growingLimit {
        folder.growing[name] = size ?? self.size(of: path + "/" + name)
      }
    }
  }

  private static func number(_ name: String, _ size: Growing?) -> Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(size)
    return hasher.finalize()
  }

  private func lookAtGrowing(_ path: String, _ folder: inout Known) -> Bool {
    var isChanged = false
    for (name, before) in folder.growing {
      guard var now = size(of: path + "/" + name) else {
        folder.growing[name] = nil
        continue
      }
      now.looks = before.looks
      if now != before {
        isChanged = true
        now.looks = 0
      }
      now.looks += 1
      folder.growing[name] = now.looks > Self.settled ? nil : now
    }
    return isChanged
  }

  private func size(of path: String) -> Growing? {
    var status = stat()
    guard conditions.failure(.look, path) == nil, lstat(path, &status) == 0 else { return nil }
    return Growing(
      size: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
      nanoseconds: status.st_mtim.tv_nsec)
  }
}
