import Foundation
import Strandline

// What the programs take as processes.
extension Row {
  static let programRows = [
    Row(name: "streams", summary: "memory of the server for each open stream of hints") { run in
      let server = try await BenchServer.start(in: run.workshop)
      let token = try String(contentsOfFile: server.tokenFile, encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
      let warm = try await OpenStreams.open(16, address: server.address, token: token)
      guard let before = MeasuredProgram.memory(of: server.process.id, "VmRSS") else {
        throw BenchError("Could not measure memory, this system does not tell it.", advice: "")
      }
      let streams = try await OpenStreams.open(
        run.options.streams, address: server.address, token: token)
      let after = MeasuredProgram.memory(of: server.process.id, "VmRSS") ?? before
      streams.close()
      warm.close()
      await server.stop()
      return [
        Figure(
          "streams", "memory per stream, \(run.options.streams) open",
          Double(after - before) * 1.024 / Double(run.options.streams), "KB", floor: 20, aim: 5,
          better: .smaller)
      ]
    },
    Row(name: "start", summary: "start of 'strandline -c status'") { run in
      let home = try run.home()
      let arguments = ["--home", home, "--device", "bench", "-c", "status"]
      let seconds = try await Rounds.median(5 * run.rounds) {
        try await MeasuredProgram.run("strandline", arguments, in: run.workshop).seconds
      }
      return [
        Figure(
          "start", "start of strandline -c status", seconds * 1000, "ms", floor: 100, aim: 50,
          better: .smaller)
      ]
    },
  ]
}
