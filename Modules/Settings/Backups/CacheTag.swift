import Foundation

/// The file `CACHEDIR.TAG`, by which backup programs leave a folder out.
struct CacheTag {
  static let name = "CACHEDIR.TAG"

  /// What the convention asks for (bford.info/cachedir), and by what this program knows its own.
  private static let text = """
    Signature: 8a477f597d28d172789f06886806bc55
    # Made by Strandline, since sync is switched off for the store in this folder. It is removed
    # when sync is switched on again.

    """

  private let path: String

  init(_ folder: String) {
    path = folder + "/" + Self.name
  }

  /// Whether a tag is there, whoever made it.
  var isThere: Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether the tag is the one that this program makes.
  var isOwn: Bool { FileManager.default.contents(atPath: path) == Data(Self.text.utf8) }

  /// Makes the tag where none is.
  ///
  /// - Returns: What went wrong, as a sentence; nil for nothing.
  func write() -> String? {
    do {
      try Data(Self.text.utf8).write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
      return nil
    } catch {
      return "Could not write '\(path)', \(error.localizedDescription)."
    }
  }

  /// Removes the tag.
  ///
  /// - Returns: What went wrong, as a sentence; nil for nothing.
  func remove() -> String? {
    guard unlink(path) == 0 else {
      return "Could not remove '\(path)', \(String(cString: strerror(errno)))."
    }
    return nil
  }
}
