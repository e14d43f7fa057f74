import Foundation
import StrandlineModels

/// What the first page says of a database, read without a lock and without making a file.
struct StoreHeader {
  /// SQLite's application number.
  var application: Int64
  /// The version of the store's format.
  var format: Int64
  /// Whether it holds nothing at all, as a database does that was only just made.
  var isBlank: Bool

  var isStore: Bool { application == SystemTables.applicationID }

  /// How often a log may end while it is about to be read.
  private static let attempts = 100

  /// Reads the file and what its log has committed since.
  ///
  /// - Throws: `notADatabase`, `damaged`, `cannotOpen`.
  init(of file: StoreFile) throws {
    var file = file
    for _ in 0..<Self.attempts {
      do {
        self = try Self(readingOnce: file)
        return
      } catch LogPeek.Ended.ended {
        // Whoever closes a store last moves the log into the file and removes it, so what was
        // read of the file is old.
        file = try StoreFile(at: file.path)
      }
    }
    throw StorageError(
      .cannotOpen, "Could not open '\(file.path)', its log comes and goes all the time.",
      advice: "Try again while fewer programs open and close it.")
  }

  /// The bytes alone are read: of a file that was taking over its log when a process was killed,
  /// the first page already counts pages that only the log holds, and SQLite calls it damaged as
  /// long as it does not read the log too.
  private init(readingOnce file: StoreFile) throws {
    // Read as if nobody could change it, for else SQLite would make files beside it.
    let connection = try Connection(untouchedPath: file.path)
    var page = LogPeek.Page(bytes: try connection.start(count: LogPeek.pageStart))
    guard page.isOfDatabase else { throw StoreFile.notADatabase(file.path) }
    if file.hasLog { page = try LogPeek(path: file.path + "-wal").firstPage() ?? page }
    format = page.integer(at: 60)
    application = page.integer(at: 68)
    // The first page is the root of the schema: a leaf of no cells holds nothing.
    isBlank = application == 0 && page.bytes[100] == 13 && page.bytes[103...104] == [0, 0]
  }
}

/// Finds the first page of a database as the last commit in its write-ahead log left it.
///
/// A log that belongs to another program's database is read here too, so it is only read: SQLite
/// would make an index beside it. What is torn or left from before has another salt.
struct LogPeek {
  /// The beginning of a page.
  struct Page {
    let bytes: [UInt8]

    /// Whether it begins as the first page of each database does.
    var isOfDatabase: Bool { bytes.starts(with: "SQLite format 3\0".utf8) }

    func integer(at offset: Int) -> Int64 { Int64(Int32(bitPattern: number(at: offset))) }

    fileprivate func number(at offset: Int) -> UInt32 {
      bytes[offset..<(offset + 4)].reduce(0) { $0 << 8 | UInt32($1) }
    }
  }

  /// That the log was removed meanwhile.
  enum Ended: Error { case ended }

  let path: String
  private static let headerSize = 32
  private static let frameHeaderSize = 24
  static let pageStart = 112

  /// Reads the page, or nil where the log holds none.
  ///
  /// - Throws: ``Ended`` where the log is gone, `cannotOpen` where it cannot be read.
  func firstPage() throws -> Page? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { throw Ended.ended }
      throw StorageError(
        .cannotOpen, "Could not open '\(path)', \(String(cString: strerror(errno)).lowercased()).",
        advice: "The log belongs to the store; make it readable too.")
    }
    defer { close(descriptor) }
    guard let header = read(descriptor, at: 0, Self.headerSize),
      header.number(at: 0) & ~1 == 0x377F_0682
    else { return nil }
    let pageSize = Int(header.number(at: 8))
    guard pageSize >= StoreFile.minimumSize, pageSize <= 65_536 else { return nil }
    return firstPage(descriptor, pageSize: pageSize, salt: header.bytes[16..<24])
  }

  private func firstPage(
    _ descriptor: Int32, pageSize: Int, salt: ArraySlice<UInt8>
  ) -> Page? {
    var offset = Self.headerSize
    var written: Int?
    var committed: Int?
    while let frame = read(descriptor, at: offset, Self.frameHeaderSize),
      frame.bytes[8..<16].elementsEqual(salt)
    {
      if frame.number(at: 0) == 1 { written = offset + Self.frameHeaderSize }
      if frame.number(at: 4) != 0 { committed = written ?? committed }
      offset += Self.frameHeaderSize + pageSize
    }
    return committed.flatMap { read(descriptor, at: $0, Self.pageStart) }
  }

  private func read(_ descriptor: Int32, at offset: Int, _ count: Int) -> Page? {
    var bytes = [UInt8](repeating: 0, count: count)
    return pread(descriptor, &bytes, count, off_t(offset)) == count ? Page(bytes: bytes) : nil
  }
}
