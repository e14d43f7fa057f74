import CEdit
import Foundation

extension EditorThread {
  private static let chunk = 4096

  /// libedit's request for one character: 1 and the character, 0 at the end, -1 to end the line.
  func readCharacter(into character: UnsafeMutablePointer<wchar_t>) -> Int32 {
    guard let scalar = nextScalar() else {
      errno = EINTR
      return ending == .inputEnded ? 0 : -1
    }
    character.pointee = wchar_t(scalar.value)
    return 1
  }

  /// The next character that was typed, or nil when the line ends for another reason.
  ///
  /// That reason is then in `ending`. Messages and signals are answered while it waits.
  func nextScalar() -> Unicode.Scalar? {
    while true {
      if ending != nil {
        leaveEndedLine()
        return nil
      }
      if !scalars.isEmpty {
        let scalar = scalars.removeFirst()
        // Without a UTF-8 locale libedit cannot hold it, and NUL would end the text for it.
        if scalar.value == 0 || !scalar.isASCII && !TextLocale.isUTF8 { continue }
        return scalar
      }
      if bytesRead < bytes.count {
        scalars = decoder.decode(bytes[bytesRead])
        bytesRead += 1
        continue
      }
      waitForInput()
    }
  }

  private func waitForInput() {
    settleCursor()
    let watched = Int16(POLLIN)
    var waits = [
      pollfd(fd: configuration.input, events: watched, revents: 0),
      pollfd(fd: mailbox.pipe.readEnd, events: watched, revents: 0),
    ]
    guard poll(&waits, 2, -1) > 0 else { return }
    if waits[1].revents != 0 { takeMail() }
    if waits[0].revents != 0, ending == nil { readBytes() }
  }

  private func readBytes() {
    bytes = [UInt8](repeating: 0, count: Self.chunk)
    bytesRead = 0
    let count = read(configuration.input, &bytes, Self.chunk)
    let isTransient = count < 0 && (errno == EINTR || errno == EAGAIN)
    bytes.removeLast(Self.chunk - max(0, count))
    if count <= 0, !isTransient { ending = .inputEnded }
  }

  /// Leaves the screen in order when a line ends otherwise than by a key.
  private func leaveEndedLine() {
    switch ending {
    case .interrupt:
      // The terminal has thrown away what it held; the rest of a paste must not run either.
      bytes = []
      bytesRead = 0
      scalars = []
      decoder = ScalarDecoder()
      leaveLine(showing: "^C")
    case .cancel, .close: leaveLine(showing: "")
    case .inputEnded, nil: break
    }
  }

  /// The line as libedit holds it, and the cursor in it.
  func lineScalars() -> (scalars: [Unicode.Scalar], cursor: Int) {
    guard let line = el_wline(edit)?.pointee, let buffer = line.buffer, let cursor = line.cursor,
      let end = line.lastchar
    else { return ([], 0) }
    let text = UnsafeBufferPointer(start: buffer, count: max(0, end - buffer))
    let scalars = text.map { Unicode.Scalar(UInt32(bitPattern: Int32($0))) ?? "\u{FFFD}" }
    return (scalars, min(max(0, cursor - buffer), scalars.count))
  }
}
