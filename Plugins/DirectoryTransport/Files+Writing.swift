import Foundation
import StrandlineTransport

extension Files {
  /// Publishes a file: written under a temporary name, synced, renamed, the folder synced.
  ///
  /// Whoever lists the folder sees the whole file under its name or none. What stood under the
  /// name before is replaced.
  func publish(
    _ bytes: [UInt8], as name: String, in folder: String, temporary: String
  ) throws(TransportError) {
    let path = folder + "/" + name
    let temporaryPath = folder + "/" + temporary
    try observe(.begun, path)
    do throws(TransportError) {
      try write(bytes, to: temporaryPath, named: path)
      guard rename(temporaryPath, path) == 0 else {
        throw TransportError.system(errno, "write", path)
      }
    } catch {
      // The file is nobody's yet; that it may stay behind is only untidy.
      unlink(temporaryPath)
      throw error
    }
    try observe(.renamed, path)
    try sync(folder: folder)
  }

  private func write(
    _ bytes: [UInt8], to path: String, named final: String
  ) throws(TransportError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .system(errno, "write", final) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { buffer in
        Foundation.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system(errno, "write", final) }
      written += count
    }
    try observe(.written, final)
    guard fsync(descriptor) == 0 else { throw .system(errno, "write", final) }
    try observe(.synced, final)
  }

  /// Makes the folders of a path below one that exists, and syncs what holds them.
  func makeFolders(_ path: String, below root: String) throws(TransportError) {
    var folder = root
    for part in path.split(separator: "/") {
      let holder = folder
      folder += "/" + part
      if mkdir(folder, 0o777) == 0 {
        try sync(folder: holder)
      } else if errno != EEXIST {
        throw .system(errno, "create the folder", folder)
      }
    }
  }

  /// Removes a file, if it is there.
  func remove(_ path: String) throws(TransportError) {
    guard unlink(path) == 0 || errno == ENOENT else { throw .system(errno, "remove", path) }
  }

  /// Removes a folder if nothing is in it.
  func removeIfEmpty(_ path: String) throws(TransportError) {
    guard rmdir(path) == 0 || [ENOENT, ENOTEMPTY, EEXIST, ENOTDIR].contains(errno) else {
      throw .system(errno, "remove", path)
    }
  }

  /// Makes the names in a folder durable.
  func sync(folder: String) throws(TransportError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(errno, "write", folder) }
    defer { close(descriptor) }
    // Some network file systems cannot sync a folder and say so; the rename stands there anyway.
    guard fsync(descriptor) == 0 || [EINVAL, ENOTSUP, EBADF].contains(errno) else {
      throw .system(errno, "write", folder)
    }
  }
}
