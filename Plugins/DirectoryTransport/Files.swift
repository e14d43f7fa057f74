import Foundation
import StrandlineTransport

/// The file calls that the transport needs, blocking, with errors explained.
///
/// Every path lies in the transport's folder. That folder may be reached through a symbolic link;
/// below it none is followed, and only regular files are read.
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

  /// A call that the system has refused.
  struct Refused: Error {
    /// The value of `errno`.
    let number: Int32
    /// The part of the path that is a symbolic link, if that is why.
    var link: String?
  }

  static let entryLimit = 1_000_000

  /// The transport's folder.
  let root: String
  let observe: WriteObserver
  let conditions: FileConditions
  let reader = PatientReader()

  init(
    root: String, observe: @escaping WriteObserver, conditions: FileConditions = .init()
  ) {
    self.root = root
    self.observe = observe
    self.conditions = conditions
  }

  /// Makes a call unless it is to fail, and tells how it went: the result, or -1 and `errno`.
  func ask(_ call: FileCall, _ path: String, _ body: () -> Int32) -> Int32 {
    guard let number = conditions.failure(call, path) else { return body() }
    errno = number
    return -1
  }

  /// Lists a folder in the order of the names; nil where there is none.
  func list(_ path: String) throws(TransportError) -> [Entry]? {
    do throws(Refused) {
      return try entries(path)
    } catch {
      guard error.number == ESTALE else { return try absent(error, path) }
    }
    // A stale handle is one of a folder that was replaced on the server; its name leads to the
    // new one. A second time it is an error, and never an empty folder.
    do throws(Refused) {
      return try entries(path)
    } catch {
      return try absent(error, path)
    }
  }

  private func absent(_ error: Refused, _ path: String) throws(TransportError) -> [Entry]? {
    if [ENOENT, ENOTDIR, ELOOP].contains(error.number) { return nil }
    if error.number == EFBIG { throw .tooManyEntries(path, limit: Self.entryLimit) }
    throw refusal(error.number, "list", path)
  }

  private func entries(_ path: String) throws(Refused) -> [Entry] {
    let descriptor = try openFolder(path, for: .list)
    guard let stream = fdopendir(descriptor) else {
      let number = errno
      close(descriptor)
      throw Refused(number: number)
    }
    defer { closedir(stream) }
    var entries: [Entry] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = entryName(of: entry)
      if name != ".", name != ".." {
        entries.append(
          Entry(name: name, kind: kind(of: entry.pointee.d_type, name, descriptor, path)))
      }
      guard entries.count <= Self.entryLimit else { throw Refused(number: EFBIG) }
      errno = 0
    }
    guard errno == 0 else { throw Refused(number: errno) }
    return entries.sorted { $0.name < $1.name }
  }

  private func kind(
    of type: UInt8, _ name: String, _ folder: Int32, _ path: String
  ) -> Kind {
    switch Int(type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .folder
    case Int(DT_UNKNOWN):
      // Some file systems do not tell the type in a listing.
      var status = stat()
      let result = ask(.look, path + "/" + name) {
        fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)
      }
      return result == 0 ? Self.kind(of: status) : .other
    default: return .other
    }
  }

  static func kind(of status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .folder
    default: .other
    }
  }

  /// What stands at a path, following links; nil where there is nothing.
  func kind(_ path: String) throws(TransportError) -> Kind? {
    var status = stat()
    guard ask(.look, path, { stat(path, &status) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw refusal(errno, "look at", path)
    }
    return Self.kind(of: status)
  }
}
