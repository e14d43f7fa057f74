import CEdit
import Foundation

extension EditorThread {
  private static let chunk = 4096
  private static let pasteMark = Array("[200~".utf8)
  private static let pasteMarkMilliseconds: Int32 = 50
  /// What stands for the mark in vi's maps, where no key sends it otherwise.
  private static let pasteKey: Unicode.Scalar = "\u{1F}"

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
        if scalar == "\u{1B}", isVi, takesPasteMark() { return Self.pasteKey }
        if scalar == Self.pasteKey { continue }
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
    showLine()
    let watched = Int16(POLLIN)
    var waits = [
      pollfd(fd: configuration.input, events: watched, revents: 0),
      pollfd(fd: mailbox.pipe.readEnd, events: watched, revents: 0),
    ]
    guard poll(&waits, 2, -1) > 0 else { return }
    if waits[1].revents != 0 { takeMail() }
    if waits[0].revents != 0, ending == nil { readBytes() }
  }

  /// Adds what has been typed to the bytes that are not decoded yet.
  private func readBytes() {
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    let count = read(configuration.input, &buffer, Self.chunk)
    if count > 0 {
      bytes = Array(bytes[bytesRead...]) + buffer[..<count]
      bytesRead = 0
    } else if count == 0 || errno != EINTR && errno != EAGAIN {
      ending = .inputEnded
    }
  }

  /// Drops what was typed and not used.
  func forgetInput() {
    bytes = []
    bytesRead = 0
    scalars = []
    decoder = ScalarDecoder()
  }

  /// Takes the rest of the mark before pasted text, if it follows the ESC that was read.
  ///
  /// vi's keys have ESC as a command of its own, so that libedit cannot be told of a sequence
  /// that begins with it. A terminal sends the mark in one piece, which a short wait puts together
  /// where the line cuts it.
  private func takesPasteMark() -> Bool {
    while true {
      let next = bytes[bytesRead...].prefix(Self.pasteMark.count)
      guard Self.pasteMark.starts(with: next) else { return false }
      if next.count == Self.pasteMark.count {
        bytesRead += next.count
        return true
      }
      var wait = pollfd(fd: configuration.input, events: Int16(POLLIN), revents: 0)
      guard poll(&wait, 1, Self.pasteMarkMilliseconds) > 0 else { return false }
      readBytes()
      if ending != nil { return false }
    }
  }

  /// Leaves the screen in order when a line ends otherwise than by a key.
  private func leaveEndedLine() {
    switch ending {
    case .interrupt: leaveLine(showing: "^C")
    case .cancel, .close: leaveLine()
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
