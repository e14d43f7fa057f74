import CArchive
import CCBOR
import CEdit
import CSQLite

/// The versions of the libraries that the program runs with.
enum LibraryVersions {
  /// One line, such as `SQLite 3.40.1, libedit 2.11, libcbor 0.8.0, libarchive 3.6.2`.
  static var text: String {
    let archive = archive_version_details().map { String(cString: $0) } ?? ""
    let parts = [
      "SQLite \(String(cString: sqlite3_libversion()))",
      "libedit \(LIBEDIT_MAJOR).\(LIBEDIT_MINOR)",
      "libcbor \(cbor_major_version).\(cbor_minor_version).\(cbor_patch_version)",
      archive.split(separator: " ").prefix(2).joined(separator: " "),
    ]
    return parts.joined(separator: ", ")
  }
}
