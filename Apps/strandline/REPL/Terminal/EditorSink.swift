import CEdit
import Foundation

/// Takes what libedit draws, of which only the bell is wanted.
final class EditorSink {
  private static let bell = CChar(7)
  private let buffer: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let size: UnsafeMutablePointer<Int>
  /// The stream for libedit to write to.
  let stream: UnsafeMutablePointer<FILE>

  init() throws(TerminalError) {
    buffer = .allocate(capacity: 1)
    buffer.initialize(to: nil)
    size = .allocate(capacity: 1)
    size.initialize(to: 0)
    guard let stream = strand_memory_stream(buffer, size) else {
      let number = errno
      buffer.deallocate()
      size.deallocate()
      throw .system("set up the line editor", number)
    }
    self.stream = stream
  }

  deinit {
    fclose(stream)
    free(buffer.pointee)
    buffer.deallocate()
    size.deallocate()
  }

  /// Whether the bell was rung since the last time; everything else is forgotten.
  func takeBell() -> Bool {
    fflush(stream)
    defer { rewind(stream) }
    guard let text = buffer.pointee else { return false }
    return UnsafeBufferPointer(start: text, count: size.pointee).contains(Self.bell)
  }
}
