import Foundation
import Synchronization

/// A process that is given lines and answers lines, through two pipes.
///
/// Its standard error is this process's. It is in a process group of its own, so that Ctrl-C at the
/// terminal reaches only who started it, and it finds the end of its input when that is gone.
final class SpawnedProcess: Sendable {
  /// The lines that it prints; they end when the process has ended.
  let lines = LineQueue()
  private let id: pid_t
  private let input: Mutex<Int32?>
  /// Whether `waitpid` has taken its end, after which the number may be another process's.
  private let isReaped = Mutex(false)

  /// Starts a program.
  ///
  /// - Throws: `cannotStart`, with the system's reason.
  init(_ program: String, arguments: [String]) throws(GateFailure) {
    let toChild = try Pipe()
    let fromChild = try Pipe.beside(toChild)
    let result = Self.spawn(
      program, arguments, input: toChild.reading, output: fromChild.writing)
    Foundation.close(toChild.reading)
    Foundation.close(fromChild.writing)
    guard case .success(let id) = result else {
      Foundation.close(toChild.writing)
      Foundation.close(fromChild.reading)
      throw .cannotStart(result)
    }
    self.id = id
    // A device that does not read must not stop who writes.
    _ = fcntl(toChild.writing, F_SETFL, O_NONBLOCK)
    input = Mutex(toChild.writing)
    let (lines, descriptor) = (self.lines, fromChild.reading)
    // A thread of its own, since reading and waiting block; it keeps this object until the end.
    Thread {
      Self.readLines(of: descriptor) { lines.add($0) }
      Foundation.close(descriptor)
      self.reap()
      lines.end()
    }.start()
  }

  /// Gives it a line.
  ///
  /// - Returns: Whether it was taken.
  func write(_ text: String) -> Bool {
    input.withLock { descriptor in
      guard let descriptor else { return false }
      var bytes = Array((text + "\n").utf8)[...]
      while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes {
          Foundation.write(descriptor, $0.baseAddress, $0.count)
        }
        if count > 0 {
          bytes = bytes.dropFirst(count)
        } else if errno != EINTR {
          return false
        }
      }
      return true
    }
  }

  /// Tells it that nothing more comes, which asks it to end.
  func closeInput() {
    input.withLock { descriptor in
      if let descriptor { Foundation.close(descriptor) }
      descriptor = nil
    }
  }

  /// Ends it as a power cut would.
  func kill() {
    isReaped.withLock { isReaped in
      if !isReaped { _ = Foundation.kill(id, SIGKILL) }
    }
  }

  // MARK: The system's part

  private static func spawn(
    _ program: String, _ arguments: [String], input: Int32, output: Int32
  ) -> Result<pid_t, SystemFailure> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    posix_spawnattr_setpgroup(&attributes, 0)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, &attributes, words, variables)
    return code == 0 ? .success(id) : .failure(SystemFailure(number: code))
  }

  private static func readLines(of descriptor: Int32, _ take: (String) -> Void) {
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      pending += buffer[..<count]
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeSubrange(...end)
      }
    }
  }

  /// Waits for the end, and takes it while nobody can kill by the number.
  private func reap() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    isReaped.withLock { isReaped in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      isReaped = true
    }
  }
}

/// Why the system did not do something, by its number.
private struct SystemFailure: Error {
  let number: Int32
}

/// The two ends of a pipe, which no other process inherits.
private struct Pipe {
  let reading: Int32
  let writing: Int32

  init() throws(GateFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw .cannotStart(.failure(SystemFailure(number: errno)))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reading, writing) = (ends[0], ends[1])
  }

  /// A second pipe; without it the first one is closed again.
  static func beside(_ first: Pipe) throws(GateFailure) -> Pipe {
    do {
      return try Pipe()
    } catch {
      close(first.reading)
      close(first.writing)
      throw error
    }
  }
}

extension GateFailure {
  fileprivate static func cannotStart(_ result: Result<pid_t, SystemFailure>) -> GateFailure {
    var reason = "the system refused it"
    if case .failure(let failure) = result { reason = String(cString: strerror(failure.number)) }
    return GateFailure(
      "cannotStart", "Could not start a device's process, \(reason).",
      advice: "Check the limits of processes and open files.")
  }
}
