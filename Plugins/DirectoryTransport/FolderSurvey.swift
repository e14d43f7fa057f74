import Foundation

/// The names of all files below a folder, looked at again and again as cheaply as it allows.
///
/// A folder whose time of change and number are those of two earlier listings is not listed again,
/// except in a thorough look, since not every file system keeps such times. Files are looked at
/// only while they may still be growing; what has its size stays as it is. Hidden files do not
/// count. All of this only decides when somebody is told to read the folder.
package struct FolderSurvey {
  private static let depthLimit = 6
  /// How many of a folder's newest files are looked at until they have settled.
  private static let growingLimit = 200
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
  package mutating func look(isThorough: Bool = false) -> Bool {
    folders = [:]
    var isChanged = visit(root, depth: 0, isThorough)
    for path in known.keys where folders[path] == nil {
      known[path] = nil
      isChanged = true
    }
    return isChanged
  }

  private mutating func visit(_ path: String, depth: Int, _ isThorough: Bool) -> Bool {
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
    folder.names = []
    folder.folders = []
    var new: [String] = []
    while let entry = readdir(stream) {
      let name = entryName(of: entry)
      guard !name.hasPrefix(".") else { continue }
      var hasher = Hasher()
      hasher.combine(name)
      hasher.combine(entry.pointee.d_ino)
      let number = hasher.finalize()
      folder.names.insert(number)
      switch Int(entry.pointee.d_type) {
      case Int(DT_DIR), Int(DT_UNKNOWN): folder.folders.append(name)
      case Int(DT_REG) where before?.names.contains(number) != true: new.append(name)
      default: break
      }
    }
    folder.growing = before?.growing ?? [:]
    for name in new.sorted().suffix(Self.growingLimit) where folder.growing[name] == nil {
      folder.growing[name] = size(of: path + "/" + name)
    }
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
