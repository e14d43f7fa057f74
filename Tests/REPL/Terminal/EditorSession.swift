import Foundation
import StrandlineREPL
import StrandlineTestSupport

/// The editor's test program, or another one with a prompt, at a pseudo-terminal, seen on a virtual
/// screen.
///
/// Every wait is for something to be seen, and has a bound; it fails with the picture.
final class EditorSession {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let bound: TimeInterval = 30

  private(set) var screen: VirtualScreen
  private let master: Int32
  private let control: Int32
  private let folder: TemporaryFolder
  private let process: pid_t
  private var status: Int32?

  /// Runs a body with a session on a thread of its own, since it blocks.
  static func run(
    columns: Int = 40, rows: Int = 16, folder: TemporaryFolder? = nil,
    environment: [String: String] = [:], program: [String]? = nil,
    _ body: @escaping @Sendable (EditorSession) throws -> Void
  ) async throws {
    let folder = try folder ?? TemporaryFolder()
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
      Thread {
        done.resume(
          with: Result {
            let session = try EditorSession(columns, rows, folder, environment, program)
            defer { session.stop() }
            try session.wait("the first prompt") {
              program == nil ? $0.text.contains("名> ") || $0.column == 4 : $0.endsWithPrompt
            }
            try body(session)
            if !session.screen.unknown.isEmpty {
              throw Failure(description: "unknown sequences \(session.screen.unknown)")
            }
          })
      }.start()
    }
  }

  private init(
    _ columns: Int, _ rows: Int, _ folder: TemporaryFolder, _ environment: [String: String],
    _ program: [String]?
  ) throws {
    self.folder = folder
    screen = VirtualScreen(columns: columns, rows: rows)
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 256)
    guard openpty(&ends.master, &ends.slave, &name, nil, nil) == 0 else {
      throw Failure(description: "no pseudo-terminal, errno \(errno)")
    }
    master = ends.master
    defer { close(ends.slave) }
    let terminal = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    for end in [ends.master, ends.slave] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    Self.setSize(of: master, columns, rows)
    let controlPath = folder.path("control-\(UUID().uuidString)")
    guard mkfifo(controlPath, 0o600) == 0 else {
      throw Failure(description: "no pipe, errno \(errno)")
    }
    control = open(controlPath, O_RDWR | O_CLOEXEC)
    var variables = [
      "TERM": "xterm", "HOME": folder.url.path, "PATH": "/usr/bin:/bin",
      "EDITOR_FIXTURE_CONTROL": controlPath,
    ]
    variables.merge(environment) { $1 }
    process = try Self.spawn(
      program ?? [try Self.fixturePath(), folder.path("history")], variables, terminal: terminal)
  }

  private func stop() {
    if status == nil {
      kill(process, SIGKILL)
      var status: Int32 = 0
      waitpid(process, &status, 0)
    }
    close(master)
    close(control)
  }

  /// The program beside the tests.
  private static func fixturePath() throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    var folder = URL(fileURLWithPath: own).deletingLastPathComponent()
    for argument in ProcessInfo.processInfo.arguments where argument.hasSuffix(".xctest") {
      folder = URL(fileURLWithPath: argument).deletingLastPathComponent()
    }
    return folder.appendingPathComponent("EditorFixture").path
  }

  /// The flag of glibc that Swift does not see behind its feature macro.
  private static let startsSession: Int16 = 0x80

  /// Starts a program as the leader of a session whose terminal is the given one.
  private static func spawn(
    _ arguments: [String], _ environment: [String: String], terminal: String
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, startsSession | Int16(POSIX_SPAWN_SETSIGDEF))
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    let result = posix_spawn(&child, arguments[0], &actions, &attributes, argv, envp)
    guard result == 0 else {
      throw Failure(description: "could not start \(arguments[0]), errno \(result)")
    }
    return child
  }

  private static func setSize(of descriptor: Int32, _ columns: Int, _ rows: Int) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  // MARK: - What a person does

  func type(_ keys: String) {
    var bytes = Array(keys.utf8)[...]
    while !bytes.isEmpty {
      // The other side echoes; reading between the portions keeps both sides going.
      let count = bytes.prefix(256).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
      _ = receive(timeout: 0)
    }
  }

  /// Types text and waits until the cursor stands behind it.
  func typeAndSee(_ text: String) throws {
    type(text)
    try wait("\"\(text)\" typed") { $0.lines.joined().contains(text) }
  }

  func resize(columns: Int) {
    screen.resize(columns: columns)
    Self.setSize(of: master, columns, screen.rows)
  }

  func send(_ signal: Int32) {
    kill(process, signal)
  }

  /// Has the program do something by itself, such as `print TEXT`.
  func command(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(control, $0.baseAddress, $0.count) }
  }

  // MARK: - What a person sees

  func wait(_ what: String, until condition: (VirtualScreen) -> Bool) throws {
    let end = Date().addingTimeInterval(Self.bound)
    while !condition(screen) {
      let left = end.timeIntervalSinceNow
      guard left > 0, receive(timeout: Int32(min(left, 1) * 1000)) else {
        throw Failure(description: "did not see \(what); the screen is:\n\(picture)")
      }
    }
  }

  func waitForText(_ text: String) throws {
    try wait("\"\(text)\"") { $0.text.contains(text) }
  }

  /// Waits for a prompt with nothing behind it, below the given text.
  func waitForPrompt(after text: String) throws {
    try wait("a prompt after \"\(text)\"") { screen in
      screen.lines.last == "名>" && screen.column == 4
        && screen.lines.dropLast().joined(separator: "\n").contains(text)
    }
  }

  /// Waits for the program to end and returns its raw status.
  func waitForEnd() throws -> Int32 {
    let end = Date().addingTimeInterval(Self.bound)
    while receive(timeout: 1000) {
      guard end.timeIntervalSinceNow > 0 else { break }
    }
    var status: Int32 = 0
    while end.timeIntervalSinceNow > 0 {
      if waitpid(process, &status, WNOHANG) == process {
        self.status = status
        return status
      }
      var nothing = pollfd(fd: -1, events: 0, revents: 0)
      poll(&nothing, 1, 10)
    }
    throw Failure(description: "the program did not end; the screen is:\n\(picture)")
  }

  /// The terminal's settings as the program left them.
  var settings: termios {
    var settings = termios()
    tcgetattr(master, &settings)
    return settings
  }

  var picture: String {
    screen.text + "\n(cursor at row \(screen.row), column \(screen.column))"
  }

  /// Takes what the program has sent, or returns false when it has gone.
  private func receive(timeout: Int32) -> Bool {
    var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, timeout) > 0 else { return true }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(master, &buffer, buffer.count)
    if count < 0, errno == EINTR { return true }
    guard count > 0 else { return false }
    screen.receive(buffer[..<count])
    return true
  }
}
