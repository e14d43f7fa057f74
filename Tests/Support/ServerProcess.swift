import Foundation

/// The server as a program of its own, which can be killed and started again at its address.
package final class ServerProcess {
  /// The folder that it runs in.
  package let folder: TemporaryFolder
  private let data: String
  private let options: [String]
  /// The words of a program that the server runs under, such as one that makes its disk fail.
  package var wrapper: [String] = []
  private var running: Running?
  /// Where it listens, such as `http://127.0.0.1:8321`; empty before it was started.
  package private(set) var address = ""

  /// Describes a server, which does not run yet.
  ///
  /// - Parameters:
  ///   - folder: The folder that it runs in.
  ///   - data: The name of its data's folder in that.
  ///   - options: More words behind `serve`.
  package init(in folder: TemporaryFolder, data: String = "server", options: [String] = []) {
    self.folder = folder
    self.data = data
    self.options = options
  }

  deinit {
    running?.kill()
  }

  /// The process that runs; nil where none does.
  package var processID: Int32? { running?.id }

  /// The port that it listens at; 0 before it was started.
  package var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

  /// Starts it, at the port that it had before if it had one, and waits until it listens.
  package func start() async throws {
    let process = try process(
      ["serve", "--listen", "127.0.0.1:\(port)"] + options, under: wrapper
    ).start()
    running = process
    let end = ContinuousClock.now + .seconds(120)
    while ContinuousClock.now < end {
      let line = try process.printed().split(separator: "\n").first {
        $0.contains("Listening on ")
      }
      if let found = line?.split(separator: " ").last {
        address = String(found)
        return
      }
      await Task.yield()
    }
    process.kill()
    throw SetupError(description: "The server did not listen: \(try await process.outcome())")
  }

  /// Ends it as a power cut would, and waits for that.
  package func kill() async throws {
    running?.kill()
    _ = try await running?.outcome()
    running = nil
  }

  /// Asks it to end, and tells how it did.
  package func stop() async throws -> Outcome? {
    guard let running else { return nil }
    _ = Foundation.kill(running.id, SIGTERM)
    self.running = nil
    return try await running.outcome()
  }

  /// Runs an administrator's command.
  package func run(_ words: [String]) async throws -> Outcome {
    try await process(words).run()
  }

  /// Runs an administrator's command, which must succeed, and gives its output.
  @discardableResult
  package func admin(_ words: String...) async throws -> String {
    let outcome = try await run(words)
    guard outcome.code == 0 else {
      throw SetupError(description: "\(words) failed: \(outcome.error)")
    }
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  /// Makes an account and a token of it in a file.
  ///
  /// - Returns: The path of the file.
  package func signUp(_ account: String, file: String = "token") async throws -> String {
    try await admin("account", "add", account)
    return try await makeToken(account, file: file)
  }

  /// Makes a token in a file, in place of what stood there.
  ///
  /// - Returns: The path of the file.
  package func makeToken(_ account: String, file: String = "token") async throws -> String {
    try folder.write(try await admin("token", "create", account) + "\n", to: file)
    return folder.path(file)
  }

  private func process(_ words: [String], under wrapper: [String] = []) throws -> ChildProcess {
    let all =
      wrapper + [try BuiltProgram.path("strandline-server"), "--data", folder.path(data)] + words
    return ChildProcess(folder: folder, executable: all[0], arguments: Array(all.dropFirst()))
  }
}
