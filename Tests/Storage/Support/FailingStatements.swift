import CSQLite
import Foundation
import Synchronization

/// Lets SQLite fail once in this process, at the nth thing that it does to the files of a folder.
///
/// It hooks into every connection as SQLite opens it, so that the code under test is the code
/// that ships. Things that count are each statement that begins, those inside SQLite's own
/// changes of a schema included, and each commit.
final class FailingStatements: Sendable {
  private let folder: String
  private let failAt: Int
  private let counter = Atomic<Int>(0)

  private static let active = Mutex<[String: FailingStatements]>([:])
  private static let isInstalled: Bool = {
    let entry:
      @convention(c) (
        OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
      ) -> Int32 = { handle, _, _ in
        FailingStatements.watch(handle)
        return SQLITE_OK
      }
    // SQLite declares the argument as a function of nothing, and calls it as this one.
    sqlite3_auto_extension(unsafeBitCast(entry, to: (@convention(c) () -> Void).self))
    return true
  }()

  /// - Parameters:
  ///   - folder: Where the files are.
  ///   - failAt: The number of the thing that fails; 0 only counts.
  init(in folder: String, failAt: Int) {
    self.folder = folder
    self.failAt = failAt
    _ = Self.isInstalled
    Self.active.withLock { $0[folder] = self }
  }

  /// Lets everything go well again.
  func end() {
    _ = Self.active.withLock { $0.removeValue(forKey: folder) }
  }

  /// Whether the thing that was to fail came.
  var hasCome: Bool { counter.load(ordering: .relaxed) >= failAt }

  private func isNext() -> Bool {
    counter.wrappingAdd(1, ordering: .relaxed).newValue == failAt
  }

  private static func find(_ handle: OpaquePointer?) -> FailingStatements? {
    guard let name = sqlite3_db_filename(handle, "main").map({ String(cString: $0) }) else {
      return nil
    }
    let folder = URL(fileURLWithPath: name).deletingLastPathComponent().path
    return active.withLock { $0[folder] }
  }

  private static func watch(_ handle: OpaquePointer?) {
    guard find(handle) != nil, let handle else { return }
    sqlite3_trace_v2(
      handle, UInt32(SQLITE_TRACE_STMT),
      { _, _, statement, _ in
        let handle = sqlite3_db_handle(statement.map(OpaquePointer.init))
        if FailingStatements.find(handle)?.isNext() == true { sqlite3_interrupt(handle) }
        return 0
      }, nil)
    sqlite3_commit_hook(
      handle,
      { context in
        FailingStatements.find(context.map(OpaquePointer.init))?.isNext() == true ? 1 : 0
      }, UnsafeMutableRawPointer(handle))
  }
}
