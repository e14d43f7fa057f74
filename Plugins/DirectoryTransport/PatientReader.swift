import Dispatch
import Synchronization

/// Reads files off the queue that asks for them, so that one which blocks holds up no other.
///
/// A file may have to be downloaded by whoever carries the folder when it is read, and a share
/// that is gone blocks until it is back. Such a read goes on by itself; asking for it again tells
/// that it is not there yet, until it has ended.
final class PatientReader: Sendable {
  /// How many reads may hang at one time; when they all do, the folder as a whole is not there.
  private static let stuckLimit = 32
  /// How many bytes of reads that ended late are kept until somebody asks for them.
  private static let lateLimit = 64 << 20

  private struct State {
    /// Where reads are made; one that hangs keeps its own, and the next gets another.
    var lane: ReadingThread?
    var ended: [UInt64: Files.Reading] = [:]
    var stuck: [String: UInt64] = [:]
    var late: [String: [UInt8]] = [:]
    var last: UInt64 = 0
  }

  private enum Start {
    case known(Files.Reading)
    case begin(UInt64, ReadingThread)
  }

  private let state = Mutex(State())

  deinit {
    state.withLock { $0.lane?.end() }
  }

  /// Reads a file and waits for so many milliseconds.
  func read(
    _ path: String, patience: Int, _ body: @escaping @Sendable () -> Files.Reading
  ) -> Files.Reading {
    let start = state.withLock { state in Self.start(path, &state) }
    guard case .begin(let number, let lane) = start else {
      if case .known(let reading) = start { return reading }
      return .notDownloaded
    }
    let done = DispatchSemaphore(value: 0)
    lane.run { [self] in
      let reading = body()
      state.withLock { state in Self.end(number, path, reading, &state) }
      done.signal()
    }
    _ = done.wait(timeout: .now() + .milliseconds(patience))
    return state.withLock { state in
      if let reading = state.ended.removeValue(forKey: number) { return reading }
      state.stuck[path] = number
      // The thread ends when its read does; the next read gets another one.
      if state.lane === lane {
        lane.end()
        state.lane = nil
      }
      return .notDownloaded
    }
  }

  private static func start(_ path: String, _ state: inout State) -> Start {
    if let bytes = state.late.removeValue(forKey: path) { return .known(.bytes(bytes)) }
    guard state.stuck[path] == nil, state.stuck.count < stuckLimit else {
      return .known(.notDownloaded)
    }
    state.last += 1
    let lane = state.lane ?? ReadingThread()
    state.lane = lane
    return .begin(state.last, lane)
  }

  private static func end(
    _ number: UInt64, _ path: String, _ reading: Files.Reading, _ state: inout State
  ) {
    guard state.stuck[path] == number else {
      state.ended[number] = reading
      return
    }
    state.stuck[path] = nil
    let kept = state.late.values.reduce(0) { $0 + $1.count }
    if case .bytes(let bytes) = reading, kept + bytes.count <= lateLimit {
      state.late[path] = bytes
    }
  }
}
