import Foundation
import StrandlineDirectoryTransport
import Testing

/// Listings of folders, whose entries are only as long as their names.
@Suite struct EntryNameTests {
  @Test func `the last entry before memory that may not be read gives its name`() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let area = try #require(
      mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    try #require(area != MAP_FAILED)
    defer { munmap(area, 2 * page) }
    try #require(mprotect(area + page, page, PROT_NONE) == 0)
    let name = Array("café.seg".utf8) + [0]
    let start = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
    let length = (start + name.count + 7) / 8 * 8
    let entry = (area + page - length).assumingMemoryBound(to: dirent.self)
    entry.pointer(to: \.d_reclen)?.pointee = UInt16(length)
    (UnsafeMutableRawPointer(entry) + start).copyMemory(from: name, byteCount: name.count)
    #expect(entryName(of: entry) == "café.seg")
  }
}
