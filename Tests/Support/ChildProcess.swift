package import Foundation

/// Runs programs as processes of their own; nothing here blocks a thread of the cooperative pool.
///
/// It starts them by `posix_spawn`: Foundation's `Process` on Linux copies each directory entry of
/// `/proc/self/fd` at its full declared length, past the end of the listing's buffer, which
/// crashes a test process that has many files open.
package struct ChildProcess: Sendable {
  /// The folder that it runs in, which also keeps its streams.
  package let folder: TemporaryFolder
  package let executable: String
  package let arguments: [String]

  package init(folder: TemporaryFolder, executable: String, arguments: [String]) {
    self.folder = folder
    self.executable = executable
    self.arguments = arguments
  }

  /// Runs to the end.
  package func run(input: String = "") async throws -> Outcome {
    try await start(input: input).outcome()
  }

  /// Starts; its streams are files, so that no amount of text can stop it.
  package func start(input: String = "") throws -> Running {
    let name = "process-\(UUID().uuidString)"
    try folder.write(input, to: name + ".in")
    try folder.write("", to: name + ".out")
    try folder.write("", to: name + ".err")
    let id = try spawn(name)
    let (ends, end) = AsyncStream.makeStream(of: Int32.self)
    // A thread of its own, since waiting blocks.
    let waiter = Thread {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      end.yield(status)
      end.finish()
    }
    waiter.start()
    return Running(folder: folder, name: name, id: id, ends: ends)
  }

  private func spawn(_ name: String) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let files = [(".in", O_RDONLY), (".out", O_WRONLY), (".err", O_WRONLY)]
    for (descriptor, (suffix, mode)) in files.enumerated() {
      posix_spawn_file_actions_addopen(
        &actions, Int32(descriptor), folder.path(name + suffix), mode, 0)
    }
    // The shell only changes the folder, and becomes the program.
    let command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder.url.path, executable]
    let words = (command + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in words + variables { free(pointer) } }
    var child: pid_t = 0
    let result = posix_spawn(&child, command[0], &actions, nil, words, variables)
    guard result == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO)
    }
    return child
  }

  /// Nothing of the person's: neither a home, nor settings, nor a locale.
  private var environment: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": folder.path("person"), "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
    ]
  }
}

/// What a process printed, and how it ended.
package struct Outcome: Sendable {
  /// The exit code; the signal's number where a signal ended it.
  package let code: Int32
  package let wasKilled: Bool
  package let output: String
  package let error: String
}

/// A process that may still run.
package struct Running: Sendable {
  package let folder: TemporaryFolder
  let name: String
  package let id: pid_t
  /// The status that `waitpid` gave, once.
  let ends: AsyncStream<Int32>

  /// What stands on its standard output so far.
  package func printed() throws -> String {
    String(decoding: try folder.bytes(name + ".out"), as: UTF8.self)
  }

  /// Ends it at once, as a power cut would; one that has ended by itself is left alone.
  package func kill() {
    _ = Foundation.kill(id, SIGKILL)
  }

  /// Waits for its end.
  package func outcome() async throws -> Outcome {
    var end: Int32?
    for await status in ends { end = status }
    guard let end else { throw CancellationError() }
    // The low seven bits of a status name the signal that ended the process, if one did.
    let signal = end & 0x7f
    return Outcome(
      code: signal == 0 ? (end >> 8) & 0xff : signal, wasKilled: signal != 0,
      output: String(decoding: try folder.bytes(name + ".out"), as: UTF8.self),
      error: String(decoding: try folder.bytes(name + ".err"), as: UTF8.self))
  }
}
