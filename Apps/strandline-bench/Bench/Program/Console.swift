import Foundation

/// Where the program writes: figures to standard output, what it is doing to standard error.
enum Console {
  /// Writes a line of results at once, also through a pipe.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Writes a line about the work.
  static func note(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
