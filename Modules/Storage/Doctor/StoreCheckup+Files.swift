import Foundation

extension StoreCheckup {
  private static let mebibyte: Int64 = 1_048_576
  /// A log of this size has not been written back for long.
  private static let longLog = 64 * mebibyte
  /// With less free space than this, saves will soon fail.
  private static let littleSpace = 64 * mebibyte

  /// What the file system says of the store's files.
  func fileFindings() -> [CheckupFinding] {
    [checkLinks(), checkLog(of: path), checkSpace(), checkLease()]
  }

  /// That the file is gone, if it is.
  static func findGone(_ path: String) -> CheckupFinding? {
    var info = stat()
    guard stat(path, &info) != 0 else { return nil }
    return CheckupFinding(
      "file", .problem, "The file '\(path)' is gone while the store is open.",
      cure: "Close the store. Put the file back with its '-wal' and '-shm'.")
  }

  /// SQLite finds the log by the file's name, so that a second name means a second log.
  private func checkLinks() -> CheckupFinding {
    if let gone = Self.findGone(path) { return gone }
    var info = stat()
    stat(path, &info)
    guard info.st_nlink == 1 else {
      return CheckupFinding(
        "file", .warning,
        "The file has \(info.st_nlink) names; opened by two of them at once it is damaged.",
        cure: "Remove the hard links but one, or make copies with VACUUM INTO.")
    }
    return .ok("file", "The file has \(Self.size(Int64(info.st_size))).")
  }

  private func checkLog(of path: String) -> CheckupFinding {
    var info = stat()
    let size = stat(path + "-wal", &info) == 0 ? Int64(info.st_size) : 0
    guard size > Self.longLog else {
      return .ok("writeAheadLog", "The write-ahead log has \(Self.size(size)).")
    }
    return CheckupFinding(
      "writeAheadLog", .warning,
      "The write-ahead log has \(Self.size(size)), since some program keeps an old snapshot open.",
      cure: "End long reads and other programs that have the file open; then save something.")
  }

  private func checkSpace() -> CheckupFinding {
    guard let free = FreeSpace(at: path)?.bytes else {
      return CheckupFinding(
        "space", .warning, "How much space is free where the store is cannot be told.")
    }
    guard free < Self.littleSpace else { return .ok("space", "\(Self.size(free)) are free.") }
    return CheckupFinding(
      "space", .warning, "Only \(Self.size(free)) are free where the store is.",
      cure: "Free some space; saves fail without it, and change nothing then.")
  }

  private func checkLease() -> CheckupFinding {
    guard let holder = SyncLease.holder(ofStoreAt: path) else {
      return .ok("lease", "No process syncs the store now.")
    }
    return .ok("lease", "\(holder) syncs the store.")
  }

  private static func size(_ bytes: Int64) -> String { FreeSpace.text(bytes) }
}
