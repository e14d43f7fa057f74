import CArchive
import Foundation
import StrandlineModels

/// Writes a bundle off the cooperative pool, since files block.
actor BundleWriter {
  private let executor = QueueExecutor(label: "strandline.bundle")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The folder inside the archive.
  private static let folder = "strandline-bundle"

  func write(_ bundle: SupportBundle, to path: String, replacing: Bool) throws(BundleError) {
    let (descriptor, written) = try open(path, replacing: replacing)
    do throws(BundleError) {
      try archive(bundle, to: descriptor, path)
      guard fsync(descriptor) == 0 else { throw BundleError.cannotWrite(path, Self.reason()) }
    } catch {
      close(descriptor)
      unlink(written)
      throw error
    }
    close(descriptor)
    guard written != path else { return }
    guard rename(written, path) == 0 else {
      let error = BundleError.cannotWrite(path, Self.reason())
      unlink(written)
      throw error
    }
  }

  /// A new file: under its own name where none may be there, else beside the one it replaces.
  private func open(_ path: String, replacing: Bool) throws(BundleError) -> (Int32, String) {
    if !replacing {
      let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { return (descriptor, path) }
      throw errno == EEXIST ? .fileExists(path) : .cannotWrite(path, Self.reason())
    }
    var template = Array((path + ".XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .cannotWrite(path, Self.reason()) }
    let name = template.dropLast().map { UInt8(bitPattern: $0) }
    return (descriptor, String(decoding: name, as: UTF8.self))
  }

  private func archive(
    _ bundle: SupportBundle, to descriptor: Int32, _ path: String
  ) throws(BundleError) {
    guard let archive = archive_write_new() else { throw .cannotWrite(path, "memory is short") }
    defer { archive_write_free(archive) }
    func check(_ result: Int32) throws(BundleError) {
      guard result >= ARCHIVE_WARN else {
        throw .cannotWrite(
          path, archive_error_string(archive).map { String(cString: $0) } ?? "it failed")
      }
    }
    if path.lowercased().hasSuffix(".zip") {
      try check(archive_write_set_format_zip(archive))
    } else {
      try check(archive_write_set_format_pax_restricted(archive))
      try check(archive_write_add_filter_gzip(archive))
    }
    try check(archive_write_open_fd(archive, descriptor))
    for file in bundle.files {
      guard let entry = archive_entry_new() else { throw .cannotWrite(path, "memory is short") }
      defer { archive_entry_free(entry) }
      let bytes = Array(file.text.utf8)
      archive_entry_set_pathname(entry, "\(Self.folder)/\(file.name)")
      archive_entry_set_size(entry, Int64(bytes.count))
      // A regular file, as `S_IFREG` has it.
      archive_entry_set_filetype(entry, 0o100000)
      archive_entry_set_perm(entry, 0o600)
      archive_entry_set_mtime(entry, Int(bundle.time / 1000), 0)
      try check(archive_write_header(archive, entry))
      let count = archive_write_data(archive, bytes, bytes.count)
      guard count == bytes.count else { throw .cannotWrite(path, Self.reason()) }
    }
    try check(archive_write_close(archive))
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
