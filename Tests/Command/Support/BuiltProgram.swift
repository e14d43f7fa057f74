import Foundation
import StrandlineTestSupport

extension BuiltProgram {
  /// A file that stands beside the tests.
  static func fixture(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/\(name)").path
  }
}
