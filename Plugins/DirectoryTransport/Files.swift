import Foundation
import StrandlineTransport

/// The file calls that the transport needs, blocking, with errors explained.
///
/// Nothing follows a symbolic link at the end of a path, and only regular files are read.
struct Files: Sendable {
  /// What stands under a name.
  enum Kind: Sendable {
    case file
    case folder
    case other
  }

  /// One entry of a folder.
  struct Entry: Sendable {
    let name: String
    let kind: Kind
  }

  /// What reading a file gave.
  enum Reading: Sendable {
    case bytes([UInt8])
    case missing
    case notRegular
    case tooLarge
    case failed(TransportError)
  }

  private static let entryLimit = 1_000_000
  let observe: WriteObserver

  /// Lists a folder in the order of the names; nil where there is none.
  func list(_ path: String) throws(TransportError) -> [Entry]? {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if [ENOENT, ENOTDIR, ELOOP].contains(errno) { return nil }
      throw .system(errno, "list", path)
    }
    guard let stream = fdopendir(descriptor) else {
      let number = errno
      close(descriptor)
      throw .system(number, "list", path)
    }
    defer { closedir(stream) }
    var entries: [Entry] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = entryName(of: entry)
      if name != ".", name != ".." {
        let kind = Self.kind(of: entry.pointee.d_type, name, descriptor)
        entries.append(Entry(name: name, kind: kind))
      }
      guard entries.count <= Self.entryLimit else { throw .system(EFBIG, "list", path) }
      errno = 0
    }
    guard errno == 0 else { throw .system(errno, "list", path) }
    return entries.sorted { $0.name < $1.name }
  }

  private static func kind(of type: UInt8, _ name: String, _ folder: Int32) -> Kind {
    switch Int(type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .folder
    case Int(DT_UNKNOWN):
      // Some file systems do not tell the type in a listing.
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .other }
      return kind(of: status)
    default: return .other
    }
  }

  private static func kind(of status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  /// What stands at a path, following links; nil where there is nothing.
  func kind(_ path: String) throws(TransportError) -> Kind? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .system(errno, "look at", path)
    }
    return Self.kind(of: status)
  }

  /// Reads a regular file of at most so many bytes.
  func read(_ path: String, limit: Int) -> Reading {
    // Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR, ESTALE: return .missing
      case ELOOP, ENXIO: return .notRegular
      default: return .failed(.system(errno, "read", path))
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .failed(.system(errno, "read", path)) }
    guard Self.kind(of: status) == .file else { return .notRegular }
    guard status.st_size <= limit else { return .tooLarge }
    return read(descriptor, size: Int(status.st_size), path)
  }

  private func read(_ descriptor: Int32, size: Int, _ path: String) -> Reading {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      let start = UnsafeMutableRawPointer(buffer.baseAddress)
      while count < size {
        let got = Foundation.read(descriptor, start?.advanced(by: count), size - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { number = errno }
        if got <= 0 { return }
        count += got
      }
    }
    if number == ESTALE { return .missing }
    return number == 0 ? .bytes(bytes) : .failed(.system(number, "read", path))
  }
}
