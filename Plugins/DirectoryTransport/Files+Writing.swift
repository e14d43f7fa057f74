import Foundation
import StrandlineTransport

extension Files {
  /// Publishes a file: written under a temporary name, synced, renamed, the folder synced.
  ///
  /// Whoever lists the folder sees the whole file under its name or none. What stood under the
  /// name before is replaced. Where the file system cannot rename, the file is written under its
  /// name: it says itself whether it is whole.
  func publish(
    _ bytes: [UInt8], as name: String, in folder: String, temporary: String
  ) throws(TransportError) {
    let path = folder + "/" + name
    try observe(.begun, path)
    let holder: Int32
    do throws(Refused) {
      holder = try openFolder(folder, for: .look)
    } catch {
      throw refusal(error, "write", path)
    }
    defer { close(holder) }
    let file = NewFile(path: path, name: name, temporary: temporary, holder: holder)
    do throws(TransportError) {
      // Another device with this one's number (a clone) may take the temporary file for a
      // leftover of its own; then it is written once more.
      if try !attempt(bytes, file), try !attempt(bytes, file) {
        throw refusal(ENOENT, "write", path)
      }
    } catch {
      // The file is nobody's yet; that it may stay behind is only untidy.
      unlinkat(holder, temporary, 0)
      throw error
    }
    try observe(.renamed, path)
    try sync(folder: folder)
  }

  private struct NewFile {
    let path: String
    let name: String
    let temporary: String
    let holder: Int32
  }

  /// Writes and renames; tells whether the temporary file was still there to be renamed.
  private func attempt(_ bytes: [UInt8], _ file: NewFile) throws(TransportError) -> Bool {
    try write(bytes, file, as: file.temporary, O_EXCL)
    let result = ask(.rename, file.path) {
      renameat(file.holder, file.temporary, file.holder, file.name)
    }
    if result == 0 { return true }
    let number = errno
    unlinkat(file.holder, file.temporary, 0)
    if number == ENOENT { return false }
    guard Self.cannot(number) || number == EXDEV else {
      throw refusal(number, "write", file.path)
    }
    do throws(TransportError) {
      try write(bytes, file, as: file.name, O_TRUNC | O_NONBLOCK)
    } catch {
      unlinkat(file.holder, file.name, 0)
      throw error
    }
    return true
  }

  private func write(
    _ bytes: [UInt8], _ file: NewFile, as name: String, _ flags: Int32
  ) throws(TransportError) {
    let descriptor = ask(.create, file.path) {
      openat(
        file.holder, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, 0o666)
    }
    guard descriptor >= 0 else { throw refusal(errno, "write", file.path) }
    defer { close(descriptor) }
    shareWithGroup(descriptor, in: file.holder, bits: S_IRGRP | S_IWGRP)
    var written = 0
    while written < bytes.count {
      if let number = conditions.failure(.write, file.path) {
        throw refusal(number, "write", file.path)
      }
      let count = bytes[written...].withUnsafeBytes { buffer in
        Foundation.write(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw refusal(errno, "write", file.path) }
      written += count
    }
    try observe(.written, file.path)
    let result = ask(.sync, file.path) { fsync(descriptor) }
    // What cannot sync at all is no reason to keep the changes back; an error of the disk is.
    guard result == 0 || Self.cannot(errno) else { throw refusal(errno, "write", file.path) }
    try observe(.synced, file.path)
  }

  /// Makes a file for people, unless anything has its name already.
  func create(_ bytes: [UInt8], at path: String) throws(TransportError) {
    let (holder, name): (Int32, String)
    do throws(Refused) {
      (holder, name) = try openHolder(of: path, for: .look)
    } catch {
      throw refusal(error, "write", path)
    }
    defer { close(holder) }
    guard !Self.exists(name, in: holder) else { return }
    do throws(TransportError) {
      try write(
        bytes, NewFile(path: path, name: name, temporary: name, holder: holder), as: name, O_EXCL)
    } catch {
      if error.context["errno"] == String(EEXIST) { return }
      unlinkat(holder, name, 0)
      throw error
    }
  }

  private static func exists(_ name: String, in folder: Int32) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
  }
}
