import Foundation
import StrandlineTestSupport
import Testing

/// The server as a program of its own, which can be killed and started again at its address.
final class ServerProcess {
  let folder: TemporaryFolder
  /// The name of its data's folder.
  let data: String
  private(set) var address = ""
  private var running: Running?
  private let options: [String]

  /// Describes a server, which does not run yet.
  init(in folder: TemporaryFolder, data: String = "server", options: [String] = []) {
    self.folder = folder
    self.data = data
    self.options = options
  }

  deinit {
    running?.kill()
  }

  /// Starts it, at the address that it had before, if it had one, and waits until it listens.
  func start() async throws {
    let place = address.isEmpty ? "127.0.0.1:0" : String(address.trimmingPrefix("http://"))
    let process = try ChildProcess(
      folder: folder, executable: BuiltProgram.path("strandline-server"),
      arguments: ["--data", folder.path(data), "serve", "--listen", place] + options
    ).start()
    running = process
    let end = ContinuousClock.now + .seconds(120)
    while true {
      if let line = try process.printed().split(separator: "\n").first(where: {
        $0.contains("Listening on ")
      }), let found = line.split(separator: " ").last {
        address = String(found)
        return
      }
      guard ContinuousClock.now < end else {
        process.kill()
        throw SetupError(description: "The server did not listen: \(try await process.outcome())")
      }
      await Task.yield()
    }
  }

  /// Ends it as a power cut would.
  func kill() async throws {
    running?.kill()
    _ = try await running?.outcome()
    running = nil
  }

  /// Asks it to end, and tells how it did.
  func stop() async throws -> Outcome? {
    guard let running else { return nil }
    _ = Foundation.kill(running.id, SIGTERM)
    self.running = nil
    return try await running.outcome()
  }

  /// Runs an administrator's command, which must succeed, and gives its output.
  @discardableResult
  func admin(
    _ words: String..., at location: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await run(words)
    #expect(outcome.code == 0, "\(words): \(outcome.error)", sourceLocation: location)
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// Runs an administrator's command.
  func run(_ words: [String]) async throws -> Outcome {
    try await ChildProcess(
      folder: folder, executable: BuiltProgram.path("strandline-server"),
      arguments: ["--data", folder.path(data)] + words
    ).run()
  }

  /// Makes an account and a token of it in a file.
  ///
  /// - Returns: The path of the file.
  func signUp(_ account: String, file: String = "token") async throws -> String {
    try await admin("account", "add", account)
    return try await makeToken(account, file: file)
  }

  /// Makes a token in a file, in place of what stood there.
  func makeToken(_ account: String, file: String = "token") async throws -> String {
    try folder.write(try await admin("token", "create", account) + "\n", to: file)
    return folder.path(file)
  }
}
