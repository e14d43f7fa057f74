import Foundation
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// One store file that is opened several times, as several processes do.
final class WatchedStoreWorld: Sendable {
  private let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store.sqlite")
  }

  func open(
    isReadOnly: Bool = false, _ pacing: WatchPacing = WatchPacing(), path: String? = nil
  ) async throws -> Store {
    var options = StoreOptions(isReadOnly: isReadOnly)
    options.watching = pacing
    return try await Store.open(
      .file(path ?? self.path), schema: SampleSchema.todo(), options: options)
  }

  /// A second path to the same file, in another folder.
  func link() throws -> String {
    try folder.makeFolder("elsewhere")
    let link = folder.path("elsewhere/link.sqlite")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    return link
  }

  /// How many descriptors of this process lead to the store's file.
  func descriptorCount() throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    // A descriptor of something else may be closed between the listing and this.
    return names.count { Self.destination(of: "/proc/self/fd/" + $0) == path }
  }

  private static func destination(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(link, &buffer, buffer.count)
    return count > 0
      ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}

extension Store {
  /// Saves one record, and gives the place in history after it.
  @discardableResult
  func saveTag(_ name: String = "tag") async throws -> Int64 {
    try await write { try $0.insert("Tag", values: ["name": .text(name)]) }
    return try await head()
  }

  func head() async throws -> Int64 { try await read { try $0.sealedHead()?.sequence ?? 0 } }

  func allTransactions() async throws -> [TransactionRow] {
    try await read { try $0.transactions() }
  }
}
