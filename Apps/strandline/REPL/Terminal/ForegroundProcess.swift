import Foundation

/// Runs a program that uses the terminal, such as `$EDITOR` or a pager.
///
/// Foundation's `Process` starts programs in a process group of their own, which the terminal
/// stops as soon as they read from it. This one stays in the group, so that Ctrl-C and Ctrl-Z
/// reach it as they should.
package enum ForegroundProcess {
  /// Runs a program to its end and returns its exit status.
  ///
  /// It is found through `PATH`. A signal that ended it counts as 128 and its number. Lend the
  /// terminal to it while it runs.
  /// Its standard input is the text if there is one, otherwise the terminal.
  package static func run(_ arguments: [String], input: String? = nil) async throws -> Int32 {
    try await withCheckedThrowingContinuation { done in
      // Waiting blocks, so it has a thread of its own.
      Thread {
        do {
          guard let input else {
            return done.resume(returning: try wait(for: try start(arguments)))
          }
          var ends: [Int32] = [-1, -1]
          guard pipe(&ends) == 0 else {
            throw TerminalError.system("make a pipe for a program", errno)
          }
          for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
          let child = Result { try start(arguments, input: ends[0]) }
          close(ends[0])
          if case .success = child { feed(input, to: ends[1]) }
          close(ends[1])
          done.resume(returning: try wait(for: try child.get()))
        } catch {
          done.resume(throwing: error)
        }
      }.start()
    }
  }

  /// Writes until everything is taken or nobody reads any more, as when a pager is left early.
  private static func feed(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  private static func start(
    _ arguments: [String], input: Int32? = nil
  ) throws(TerminalError) -> pid_t {
    guard let program = arguments.first else {
      throw TerminalError(
        "noProgram", "Could not start a program, its name is empty.", advice: "Name one.")
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What this process ignores would stay ignored in the program.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in TerminalSignals.watched + [SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    var pointers = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var child = pid_t()
    let result = posix_spawnp(&child, program, &actions, &attributes, pointers, environ)
    guard result == 0 else {
      throw .system(
        "start '\(program)'", result, advice: "Check that it is installed and can be run.")
    }
    return child
  }

  private static func wait(for child: pid_t) throws(TerminalError) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { throw .system("wait for a program", errno) }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
