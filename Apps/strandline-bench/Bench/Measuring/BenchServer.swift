import Foundation
import Strandline
import StrandlineHTTPTransport

/// A server of this build as a process of its own, with one account.
final class BenchServer {
  let address: String
  let tokenFile: String
  let process: MeasuredProgram

  private init(address: String, tokenFile: String, process: MeasuredProgram) {
    self.address = address
    self.tokenFile = tokenFile
    self.process = process
  }

  /// Starts a server with empty data.
  static func start(in workshop: Workshop) async throws -> BenchServer {
    let data = try workshop.newFolder("server")
    func administer(_ words: String...) async throws -> String {
      try await MeasuredProgram.run("strandline-server", ["--data", data] + words, in: workshop)
        .output
    }
    _ = try await administer("account", "add", "bench")
    let tokenFile = workshop.path("token")
    let token = try await administer("token", "create", "bench")
    try token.write(toFile: tokenFile, atomically: true, encoding: .utf8)
    let process = try MeasuredProgram(
      MeasuredProgram.path("strandline-server"),
      ["--data", data, "serve", "--listen", "127.0.0.1:0", "--no-log"], in: workshop)
    for _ in 0..<6000 {
      let line = process.printed.split(separator: "\n").first { $0.contains("Listening on ") }
      if let address = line?.split(separator: " ").last {
        return BenchServer(
          address: String(address), tokenFile: tokenFile, process: process)
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    process.terminate()
    throw BenchError("Could not start the server: \(process.printed)", advice: "")
  }

  /// A device's transport to it.
  func transport() throws -> HTTPTransport {
    try HTTPTransport(
      TransportConfiguration(specification: .init(address), tokenFile: tokenFile))
  }

  /// The options by which `strandline` syncs with it.
  func options(home: String, device: String) -> [String] {
    ["--home", home, "--device", device, "--transport", address, "--token-file", tokenFile]
  }

  /// Ends it.
  func stop() async {
    process.terminate()
    _ = await process.wait()
  }
}
