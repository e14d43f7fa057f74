import Foundation
import StrandlineModels
import StrandlineTestSupport

/// What a process printed, and how it ended.
struct Outcome: Sendable {
  /// The exit code; the signal's number where a signal ended it.
  let code: Int32
  let wasKilled: Bool
  let output: String
  let error: String

  /// The lines of standard output that hold something.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The JSON objects of standard output, one a line.
  func objects() throws -> [JSONValue] {
    try lines.map { try JSONValue(parsing: $0) }
  }

  /// The JSON objects of standard error, one a line.
  func errorObjects() throws -> [JSONValue] {
    try error.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }
}

/// Runs programs as processes of their own; nothing here blocks a thread of the tests.
struct ChildProcess {
  let folder: TemporaryFolder
  let executable: String
  let arguments: [String]

  /// Runs to the end.
  func run(input: String = "") async throws -> Outcome {
    try await start(input: input).outcome()
  }

  /// Starts; its streams are files, so that no amount of text can stop it.
  func start(input: String = "") throws -> Running {
    let name = "process-\(UUID().uuidString)"
    try folder.write(input, to: name + ".in")
    try folder.write("", to: name + ".out")
    try folder.write("", to: name + ".err")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: executable)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.environment = environment
    process.standardInput = try FileHandle(forReadingFrom: folder.url.appending(path: name + ".in"))
    process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: name + ".out"))
    process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: name + ".err"))
    let (ends, end) = AsyncStream.makeStream(of: Running.End.self)
    process.terminationHandler = { ended in
      end.yield(.init(code: ended.terminationStatus, reason: ended.terminationReason))
      end.finish()
    }
    try process.run()
    return Running(folder: folder, name: name, id: process.processIdentifier, ends: ends)
  }

  /// Nothing of the person's: neither a home, nor settings, nor a locale.
  private var environment: [String: String] {
    [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "HOME": folder.path("person"), "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
    ]
  }
}

/// A process that may still run.
struct Running: Sendable {
  struct End: Sendable {
    let code: Int32
    let reason: Process.TerminationReason
  }

  let folder: TemporaryFolder
  let name: String
  let id: Int32
  let ends: AsyncStream<End>

  /// Ends it at once, as a power cut would; one that has ended by itself is left alone.
  func kill() {
    _ = Foundation.kill(id, SIGKILL)
  }

  /// Waits for its end.
  func outcome() async throws -> Outcome {
    var end: End?
    for await value in ends { end = value }
    guard let end else { throw CancellationError() }
    return Outcome(
      code: end.code, wasKilled: end.reason == .uncaughtSignal,
      output: String(decoding: try folder.bytes(name + ".out"), as: UTF8.self),
      error: String(decoding: try folder.bytes(name + ".err"), as: UTF8.self))
  }
}
