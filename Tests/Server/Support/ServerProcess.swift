import Foundation
import StrandlineServer
import StrandlineTestSupport

/// The server as a program of its own, which can be killed and started again at its address.
final class ServerProcess {
  private let folder: TemporaryFolder
  private let data: String
  private var running: Running?
  private(set) var address = ListenAddress(host: "127.0.0.1", port: 0)

  /// Describes a server with data in a folder; it does not run yet.
  init(in folder: TemporaryFolder, data: String) {
    self.folder = folder
    self.data = data
  }

  deinit {
    running?.kill()
  }

  private func process(_ words: [String]) throws -> ChildProcess {
    let bundles = Bundle.allBundles.map(\.bundlePath).filter { $0.hasSuffix(".xctest") }
    let places = bundles + [CommandLine.arguments[0], Bundle.main.bundlePath + "/."]
    let found = places.map {
      URL(fileURLWithPath: $0).deletingLastPathComponent().appending(path: "strandline-server").path
    }.first(where: FileManager.default.isExecutableFile)
    guard let found else {
      throw UnexpectedAnswer(description: "The program stands at none of \(places).")
    }
    return ChildProcess(
      folder: folder, executable: found, arguments: ["--data", data] + words)
  }

  /// Starts it, at the address that it had before if it had one, and waits until it listens.
  func start() async throws {
    let process = try process(
      ["serve", "--listen", address.description, "--log", folder.path("log")]
    ).start()
    running = process
    let isListening = try await eventually {
      try process.printed().contains("Listening on ")
    }
    let line = try process.printed().split(separator: "\n").first { $0.contains("Listening on ") }
    guard isListening, let found = line?.split(separator: "/").last,
      let address = ListenAddress(String(found))
    else {
      process.kill()
      throw UnexpectedAnswer(description: "It did not listen: \(try await process.outcome())")
    }
    self.address = address
  }

  /// Ends it as a power cut would, and waits for that.
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

  /// Runs an administrator's command and gives the last line of its output.
  @discardableResult func administer(_ words: String...) async throws -> String {
    let outcome = try await process(words).run()
    guard outcome.code == 0 else { throw UnexpectedAnswer(description: outcome.error) }
    return outcome.output.split(separator: "\n").last.map(String.init) ?? ""
  }
}
