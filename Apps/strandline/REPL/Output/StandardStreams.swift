import Foundation
import StrandlineModels
import Synchronization

/// Where the program writes: data to one stream, everything said about it to the other.
///
/// A reader that goes away early, such as `head`, is no failure: what is written after that goes
/// nowhere, and `isBroken` says so, for a long command to stop. Writing blocks while a reader is
/// slow, so it is for the thread that runs the commands.
package final class StandardStreams: Sendable {
  private enum Target: Sendable {
    case descriptor(Int32)
    case memory
  }

  private struct State {
    var file: Int32?
    var isBroken = false
    var failure: Int32?
    var isMuted = false
    /// What was written since output is held; nil while it is not.
    var held: String?
    var outputText = ""
    var errorText = ""
  }

  private let output: Target
  private let error: Target
  private let state = Mutex(State())

  /// Whether the data stream is a terminal.
  package let outputIsTerminal: Bool
  /// Whether the other stream is a terminal.
  package let errorIsTerminal: Bool

  /// Standard output and standard error of the process.
  package static let standard = StandardStreams(output: 1, error: 2)

  /// Writes to descriptors, and has the process survive a closed pipe.
  package init(output: Int32, error: Int32) {
    signal(SIGPIPE, SIG_IGN)
    self.output = .descriptor(output)
    self.error = .descriptor(error)
    outputIsTerminal = isatty(output) == 1
    errorIsTerminal = isatty(error) == 1
  }

  private init() {
    output = .memory
    error = .memory
    outputIsTerminal = false
    errorIsTerminal = false
  }

  deinit {
    if let file = state.withLock({ $0.file }) { close(file) }
  }

  /// Streams that keep what is written.
  package static func captured() -> StandardStreams { StandardStreams() }

  /// What captured streams got as data.
  package var capturedOutput: String { state.withLock { $0.outputText } }

  /// What captured streams got otherwise.
  package var capturedErrors: String { state.withLock { $0.errorText } }

  /// Takes the reason why data could not be written, such as a full disk, if there is one; a
  /// command that has one has failed.
  package func takeFailure() -> TerminalError? {
    let number = state.withLock { state in
      defer { state.failure = nil }
      return state.failure
    }
    return number.map {
      .system("write the output", $0, advice: "Free some space or write to another place.")
    }
  }

  /// Whether the reader of the data has gone away.
  package var isBroken: Bool { state.withLock { $0.isBroken } }

  /// The columns of the terminal that shows the data, or nil if it is no terminal.
  package var columns: Int? {
    guard case .descriptor(let descriptor) = output, outputIsTerminal, !isRedirected else {
      return nil
    }
    return TerminalModes.size(of: descriptor).columns
  }

  /// The columns of the terminal that shows what is said about the data, or nil if it is none.
  package var errorColumns: Int? {
    guard case .descriptor(let descriptor) = error, errorIsTerminal else { return nil }
    return TerminalModes.size(of: descriptor).columns
  }

  /// Whether data goes to a file that `redirect` named.
  package var isRedirected: Bool { state.withLock { $0.file != nil } }

  /// Writes data as it is.
  package func write(_ text: String) {
    state.withLock { state in
      if state.isMuted { return }
      if state.held != nil, state.file == nil {
        state.held?.append(text)
        return
      }
      if let file = state.file { return Self.send(text, to: file, &state) }
      switch output {
      case .memory: state.outputText += text
      case .descriptor(let descriptor): Self.send(text, to: descriptor, &state)
      }
    }
  }

  /// Drops everything that is written, until it is told not to.
  func setMuted(_ isMuted: Bool) {
    state.withLock { $0.isMuted = isMuted }
  }

  /// Whether everything that is written is dropped.
  var isMuted: Bool { state.withLock { $0.isMuted } }

  /// Keeps data until it is taken, or until something is said about it.
  func hold() {
    state.withLock { $0.held = "" }
  }

  /// Takes what was kept; what follows is written again.
  func takeHeld() -> String {
    state.withLock { state in
      defer { state.held = nil }
      return state.held ?? ""
    }
  }

  /// Writes what was kept so far, so that what is said about it stands below.
  private func releaseHeld(_ state: inout State) {
    guard let held = state.held else { return }
    state.held = nil
    switch output {
    case .memory: state.outputText += held
    case .descriptor(let descriptor): Self.send(held, to: descriptor, &state)
    }
  }

  private static func send(_ text: String, to descriptor: Int32, _ state: inout State) {
    if state.isBroken { return }
    switch send(text, to: descriptor) {
    case nil: break
    case EPIPE: state.isBroken = true
    case .some(let number): state.failure = state.failure ?? number
    }
  }

  /// Writes a line of data.
  package func writeLine(_ text: String) {
    write(text + "\n")
  }

  /// Writes a line about the data, such as an error or what was done.
  package func note(_ text: String) {
    state.withLock { state in
      if state.isMuted { return }
      releaseHeld(&state)
      switch error {
      case .memory: state.errorText += text + "\n"
      case .descriptor(let descriptor): Self.send(text + "\n", to: descriptor)
      }
    }
  }

  /// Sends data to a file from now on, which is emptied first; nil sends it back to the stream.
  package func redirect(to path: String?) throws(TerminalError) {
    var new: Int32?
    if let path {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else {
        throw .system("write to '\(path)'", errno, advice: "Check the folder and its permissions.")
      }
      new = descriptor
    }
    let old = state.withLock { state in
      defer { state.file = new }
      return state.file
    }
    if let old { close(old) }
  }

  /// Writes everything, or returns the number of the error.
  @discardableResult
  private static func send(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if errno == EAGAIN {
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&wait, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}
