import Foundation
import Strandline

extension FolderCopier {
  /// A copy of a folder as it once was, with what the tool knew of it.
  public struct Snapshot: Sendable {
    let files: [String: Data]
    let copy: Copy
  }

  /// Keeps how a copy looks now, as a snapshot of a whole machine does.
  ///
  /// - Throws: `FolderCopyError`.
  public func snapshot(of index: Int) throws -> Snapshot {
    try scan(index)
    let folder = copies[index].folder
    var files: [String: Data] = [:]
    for path in try folder.files().keys { files[path] = try folder.read(path) }
    return Snapshot(files: files, copy: copies[index])
  }

  /// Puts a copy back to how it was, together with what the tool knew of it.
  ///
  /// What the copy has lacked since then is carried to it again.
  ///
  /// - Throws: `FolderCopyError`.
  public func restore(_ snapshot: Snapshot, to index: Int) throws {
    let folder = copies[index].folder
    try folder.empty()
    try folder.write(Data(), to: CarrierNames.marker + "/.keep")
    copies[index].held = snapshot.copy.held
    copies[index].unfinished = snapshot.copy.unfinished
    copies[index].marks = [:]
    copies[index].fresh = [:]
    for (path, content) in snapshot.files {
      try folder.write(content, to: path)
      copies[index].look(at: path, folder.mark(path), content)
    }
    // What only this copy ever held is gone from the others' view with it.
    for (path, number) in copies[index].held where latest[path] == nil && number > 0 {
      copies[index].held[path] = 0
      copies[index].marks[path] = nil
      copies[index].fresh[path] = nil
    }
    counts.putBack += 1
  }

  /// Takes a folder as another device's copy, which begins as a copy of one that is known.
  ///
  /// - Returns: The number of the new copy.
  /// - Throws: `FolderCopyError`.
  public func add(_ path: String, copyOf index: Int) throws -> Int {
    let snapshot = try snapshot(of: index)
    let added = try add(path)
    try restore(snapshot, to: added)
    counts.putBack -= 1
    return added
  }
}
