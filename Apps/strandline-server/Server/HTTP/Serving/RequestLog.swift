import Foundation
package import StrandlineModels
import Synchronization

/// The log of requests: a line of JSON each, written by a thread of its own.
///
/// It says who asked what and how that went; never what was sent, nor any token. When the file
/// takes lines too slowly, lines are left out and counted, so that no request ever waits.
package final class RequestLog: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var lost = 0
    var isEnding = false
  }

  private let descriptor: Int32
  private let closesDescriptor: Bool
  private let clock: WallClock
  private let state = Mutex(State())
  private let signal = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private static let bound = 1 << 20

  /// Writes to the standard error.
  package convenience init(clock: WallClock) {
    self.init(descriptor: 2, closes: false, clock: clock)
  }

  /// Adds to a file, which only its owner may read.
  ///
  /// - Throws: `address` where the file cannot be opened.
  package convenience init(file: String, clock: WallClock) throws(ServeError) {
    let descriptor = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw ServeError(
        .resources, "Could not open the log '\(file)', \(String(cString: strerror(errno))).",
        advice: "Name a file that may be written.")
    }
    self.init(descriptor: descriptor, closes: true, clock: clock)
  }

  private init(descriptor: Int32, closes: Bool, clock: WallClock) {
    self.descriptor = descriptor
    closesDescriptor = closes
    self.clock = clock
    let thread = Thread { [self] in run() }
    thread.name = "strandline.log"
    thread.start()
  }

  /// Adds a line.
  package func record(
    _ request: ServerRequest, bytesIn: Int, _ answer: ServerAnswer, microseconds: Int64
  ) {
    let line = Self.line(
      request, bytesIn: bytesIn, answer, microseconds: microseconds, at: clock.milliseconds)
    state.withLock { state in
      guard state.waiting.count + line.utf8.count < Self.bound else {
        state.lost += 1
        return
      }
      state.waiting += Array(line.utf8)
    }
    signal.signal()
  }

  /// Writes what waits and ends.
  package func end() {
    state.withLock { $0.isEnding = true }
    signal.signal()
    _ = ended.wait(timeout: .now() + 5)
  }

  private func run() {
    while true {
      signal.wait()
      let (bytes, isEnding) = state.withLock { state in
        if state.lost > 0 {
          let note = JSONValue.object(["lost": .integer(Int64(state.lost))]).text + "\n"
          state.waiting += Array(note.utf8)
          state.lost = 0
        }
        defer { state.waiting = [] }
        return (state.waiting, state.isEnding)
      }
      write(bytes)
      if isEnding { break }
    }
    if closesDescriptor { close(descriptor) }
    ended.signal()
  }

  private func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}

extension RequestLog {
  /// The line for one request.
  ///
  /// Only names that the server itself knows stand in it as they are; what the asker chose is
  /// escaped by JSON and cut.
  package static func line(
    _ request: ServerRequest, bytesIn: Int, _ answer: ServerAnswer, microseconds: Int64,
    at time: Int64
  ) -> String {
    var members: [JSONValue.Member] = [
      .init("time", .string(Timestamp.text(time))),
      .init("method", .string(plain(request.method, 16))),
      .init("endpoint", JSONValue(answer.note.endpoint)),
      .init("status", .integer(Int64(answer.status))),
      .init("bytesIn", .integer(Int64(bytesIn))),
      .init("bytesOut", .integer(Int64(answer.byteCount))),
      .init("microseconds", .integer(microseconds)),
      .init("remote", .string(plain(request.remoteAddress, 64))),
    ]
    for (name, value) in [
      ("account", answer.note.account), ("device", answer.note.device),
      ("error", answer.note.error),
    ] {
      if let value { members.append(.init(name, .string(plain(value, 128)))) }
    }
    return JSONValue.object(members).text + "\n"
  }

  /// Printable ASCII of a bounded length.
  private static func plain(_ text: String, _ length: Int) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(length).map { 0x20...0x7E ~= $0.value ? $0 : "?" }))
  }
}
