import Foundation
import Testing

/// The guides show only code that stands in the tests beside this one, which compile and run.
@Suite struct GuideTextTests {
  private static let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  private static let guides =
    examples
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Modules/Strandline/Strandline.docc")

  @Test func `each block of code in a guide is part of a test`() throws {
    let sources = try Self.files(in: Self.examples, withExtension: "swift").map(Self.lines)
    let guides = try Self.files(in: Self.guides, withExtension: "md")
    var count = 0
    for guide in guides {
      for block in Self.blocks(of: try Self.lines(guide)) {
        count += 1
        let isCompiled = sources.contains { Self.contains($0, block) }
        #expect(
          isCompiled, "\(guide.lastPathComponent): \(block.joined(separator: "\n"))")
      }
    }
    #expect(count > 0)
  }

  private static func files(in folder: URL, withExtension name: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == name }
  }

  private static func lines(_ file: URL) throws -> [Substring] {
    try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The lines between "```swift" and "```".
  private static func blocks(of lines: [Substring]) -> [[Substring]] {
    var blocks: [[Substring]] = []
    var block: [Substring]?
    for line in lines {
      if line == "```swift" {
        block = []
      } else if line == "```", let whole = block {
        blocks.append(whole)
        block = nil
      } else {
        block?.append(line)
      }
    }
    return blocks
  }

  /// Whether lines stand in a source one after the other, all indented by the same amount.
  private static func contains(_ source: [Substring], _ block: [Substring]) -> Bool {
    guard let first = block.first else { return false }
    return source.indices.contains { start in
      guard source[start].hasSuffix(first), start + block.count <= source.count else {
        return false
      }
      let indent = String(source[start].dropLast(first.count))
      guard indent.allSatisfy({ $0 == " " }) else { return false }
      return zip(source[start...], block).allSatisfy { line, wanted in
        line == (wanted.isEmpty ? "" : indent + wanted)
      }
    }
  }
}
