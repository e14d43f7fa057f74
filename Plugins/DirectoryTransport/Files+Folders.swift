import Foundation
import StrandlineTransport

extension Files {
  /// `O_PATH`, which the system's header shows only to C; the same on all of its platforms here.
  private static let pathOnly: Int32 = 0o10000000

  /// Opens a folder, following no link below the transport's folder.
  ///
  /// Whoever can write into the folder can put a link in the place of one of its folders; without
  /// this, files would be read, written and removed wherever that leads.
  func openFolder(_ path: String, for call: FileCall) throws(Refused) -> Int32 {
    if let number = conditions.failure(call, path) { throw Refused(number: number) }
    let parts = Self.parts(path).dropFirst(Self.parts(root).count)
    // On the way a folder need only be entered, which a share may allow without a listing.
    var handle = open(root, (parts.isEmpty ? O_RDONLY : Self.pathOnly) | O_DIRECTORY | O_CLOEXEC)
    guard handle >= 0 else { throw Refused(number: errno) }
    for (index, part) in zip(parts.indices, parts) {
      let access = index == parts.indices.last ? O_RDONLY : Self.pathOnly
      let next = openat(handle, part, access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      let number = errno
      let isLink = next < 0 && number == ENOTDIR && Self.isLink(part, in: handle)
      close(handle)
      guard next >= 0 else { throw Refused(number: number, link: isLink ? part : nil) }
      handle = next
    }
    return handle
  }

  private static func parts(_ path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  private static func isLink(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Opens the folder that holds a path, and tells the last part of the path.
  func openHolder(of path: String, for call: FileCall) throws(Refused) -> (Int32, name: String) {
    let name = Self.parts(path).last ?? path
    let folder = String(Substring(path.utf8.dropLast(name.utf8.count + 1)))
    return (try openFolder(folder, for: call), name)
  }

  /// Makes the folders of a path below one that exists, and syncs what holds them.
  func makeFolders(_ path: String, below root: String) throws(TransportError) {
    var folder = root
    for part in path.split(separator: "/") {
      let holder = folder
      folder += "/" + part
      do throws(Refused) {
        guard try makeFolder(String(part), in: holder, path: folder) else { continue }
      } catch {
        throw refusal(error, "create the folder", folder)
      }
      try sync(folder: holder)
    }
  }

  /// Makes one folder; tells whether it was not there.
  private func makeFolder(
    _ name: String, in holder: String, path: String
  ) throws(Refused) -> Bool {
    let handle = try openFolder(holder, for: .look)
    defer { close(handle) }
    guard ask(.makeFolder, path, { mkdirat(handle, name, 0o777) }) == 0 else {
      let number = errno
      guard number == EEXIST else { throw Refused(number: number) }
      if Self.isLink(name, in: handle) { throw Refused(number: ELOOP, link: name) }
      return false
    }
    let made = openat(handle, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    if made >= 0 {
      shareWithGroup(made, in: handle, bits: S_ISGID | S_IRWXG)
      close(made)
    }
    return true
  }

  /// Lets the group of a folder that is meant for one use what was made in it.
  ///
  /// A folder that is group-writable and hands its group on (setgid) is shared by the people of
  /// the group, while a person's file mask usually keeps new files to that person. File systems
  /// without such rights refuse the change and need none.
  func shareWithGroup(_ made: Int32, in holder: Int32, bits: mode_t) {
    var (folder, status) = (stat(), stat())
    guard fstat(holder, &folder) == 0, fstat(made, &status) == 0,
      folder.st_mode & S_ISGID != 0, folder.st_mode & S_IWGRP != 0
    else { return }
    let mode = (status.st_mode | folder.st_mode & bits) & 0o7777
    if mode != status.st_mode & 0o7777 { fchmod(made, mode) }
  }

  /// Removes a file, if it is there.
  func remove(_ path: String) throws(TransportError) {
    try remove(path, flags: 0, harmless: [ENOENT, ESTALE])
  }

  /// Removes a folder if nothing is in it.
  func removeIfEmpty(_ path: String) throws(TransportError) {
    try remove(
      path, flags: AT_REMOVEDIR, harmless: [ENOENT, ESTALE, ENOTEMPTY, EEXIST, ENOTDIR])
  }

  private func remove(
    _ path: String, flags: Int32, harmless: Set<Int32>
  ) throws(TransportError) {
    do throws(Refused) {
      let (holder, name) = try openHolder(of: path, for: .look)
      defer { close(holder) }
      guard ask(.remove, path, { unlinkat(holder, name, flags) }) == 0 else {
        throw Refused(number: errno)
      }
    } catch {
      if error.link == nil, harmless.contains(error.number) { return }
      throw refusal(error, "remove", path)
    }
  }

  /// Makes the names in a folder durable.
  func sync(folder: String) throws(TransportError) {
    do throws(Refused) {
      let handle = try openFolder(folder, for: .look)
      defer { close(handle) }
      guard ask(.syncFolder, folder, { fsync(handle) }) != 0 else { return }
      // Some network file systems cannot sync a folder and say so; the rename stands there anyway.
      if Self.cannot(errno) || errno == EBADF { return }
      throw Refused(number: errno)
    } catch {
      throw refusal(error, "write", folder)
    }
  }

  /// Whether an error number says that the file system does not have such a call.
  static func cannot(_ number: Int32) -> Bool {
    [EINVAL, ENOTSUP, ENOSYS].contains(number)
  }
}
