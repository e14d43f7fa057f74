import Foundation
import StrandlineTestSupport
import Testing

/// A disk that can be filled and emptied again.
struct SmallDisk {
  private let mount: Mount
  var folder: String { mount.folder }
  private var filler: String { folder + "/holiday.mov" }

  init(kibibytes: Int) async throws {
    mount = try await Mount.disk(kibibytes: kibibytes)
  }

  /// Takes all room that is left, to the last byte.
  func fill() throws {
    let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    for size in [65_536, 4096, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while write(descriptor, bytes, size) == size {}
    }
    #expect(errno == ENOSPC)
  }

  /// Gives back what was taken.
  func empty() throws {
    try FileManager.default.removeItem(atPath: filler)
  }

  func end() async throws {
    try await mount.end()
  }
}
