import Foundation
import Strandline

/// A program of this build as a process of its own, with what it took.
struct MeasuredProgram: Sendable {
  /// How a process ended.
  struct Ended: Sendable {
    let code: Int32
    let output: String
    let error: String
    let seconds: Double
    /// The most memory that it had, in bytes.
    let peakMemory: Int
  }

  /// Where the programs of this build are: beside this one.
  static func path(_ name: String) throws(BenchError) -> String {
    let folder = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
      .resolvingSymlinksInPath().deletingLastPathComponent()
    let path = folder.appendingPathComponent(name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw BenchError(
        "Could not start '\(name)', it is not beside this program.",
        advice: "Build it: swift build -c release --product \(name)")
    }
    return path
  }

  let id: pid_t
  private let output: String
  private let start = ContinuousClock.now

  /// Starts a program; what it prints goes to a file.
  init(_ program: String, _ arguments: [String], in workshop: Workshop) throws(BenchError) {
    output = workshop.path("output")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_addopen(
      &actions, 2, output + ".err", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, nil, words, variables)
    guard code == 0 else {
      throw BenchError(
        "Could not start '\(program)', \(String(cString: strerror(code))).",
        advice: "Check the limits of processes and open files.")
    }
    self.id = id
  }

  /// What it has printed so far.
  var printed: String { Self.text(of: output) }

  private static func text(of path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Asks it to end.
  func terminate() { kill(id, SIGTERM) }

  /// Waits for its end.
  func wait() async -> Ended {
    await withCheckedContinuation { continuation in
      // A thread of its own, since waiting blocks.
      Thread {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
        continuation.resume(
          returning: Ended(
            code: code, output: printed, error: Self.text(of: output + ".err"),
            seconds: seconds, peakMemory: usage.ru_maxrss << 10))
      }.start()
    }
  }

  /// Runs a program to its end, which must be good.
  static func run(
    _ name: String, _ arguments: [String], in workshop: Workshop
  ) async throws -> Ended {
    let ended = try await MeasuredProgram(path(name), arguments, in: workshop).wait()
    guard ended.code == 0 else {
      throw BenchError(
        "Could not measure '\(name) \(arguments.joined(separator: " "))', it ended with "
          + "\(ended.code): \((ended.output + ended.error).suffix(400))", advice: "")
    }
    return ended
  }

  /// A number in kilobytes that the system tells of a process, such as `VmHWM`; nil where it does
  /// not.
  static func memory(of id: pid_t, _ name: String) -> Int? {
    guard let status = FileManager.default.contents(atPath: "/proc/\(id)/status") else {
      return nil
    }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(name + ":") {
      return line.split(separator: " ").dropLast().last.flatMap { Int($0) }
    }
    return nil
  }
}

/// Why something was not measured.
struct BenchError: Error, CustomStringConvertible {
  let message: String
  let advice: String

  init(_ message: String, advice: String) {
    self.message = message
    self.advice = advice
  }

  var description: String { advice.isEmpty ? message : message + " " + advice }
}
