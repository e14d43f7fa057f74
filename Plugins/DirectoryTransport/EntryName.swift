package import Foundation

/// The name in an entry of a folder's listing.
///
/// The field for the name is declared as long as a name can be, while the system hands out entries
/// only as long as their own name. So the field is never read as a whole, which would read past
/// the end of the last entry: the name is read up to its zero byte, and at most to the entry's end.
package func entryName(of entry: UnsafePointer<dirent>) -> String {
  let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
  let longest = max(0, Int(entry.pointee.d_reclen) - start)
  let field = UnsafeRawBufferPointer(
    start: UnsafeRawPointer(entry).advanced(by: start), count: longest)
  return String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
}
