import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Synchronization

/// Somebody who types commands of `strandline-server` and reads what they print.
final class Keeper: Sendable {
  /// What one command did.
  struct Outcome: Sendable {
    let code: CommandFailure.ExitCode
    let output: [String]
    let notes: [String]

    /// The output as JSON, a value a line.
    var objects: [JSONValue] { get throws { try output.map { try JSONValue(parsing: $0) } } }
    /// Everything that was said beside the results, in one text.
    var said: String { notes.joined(separator: "\n") }
  }

  private struct State {
    var output: [String] = []
    var notes: [String] = []
    var answers: [String] = []
  }

  let folder: TemporaryFolder
  let clock = TestClock()
  let data: String
  private let state = Mutex(State())

  init() throws {
    folder = try TemporaryFolder()
    data = folder.path("data")
  }

  /// Types a command that was put apart before.
  func type(_ words: [String], answers: [String] = []) async -> Outcome {
    await run(words, answers, [:])
  }

  /// Types a command; the answers are typed when something is asked.
  func type(
    _ words: String..., answers: [String] = [], variables: [String: String] = [:]
  ) async -> Outcome {
    await run(words, answers, variables)
  }

  private func run(
    _ words: [String], _ answers: [String], _ variables: [String: String]
  ) async -> Outcome {
    state.withLock { $0 = State(answers: answers) }
    let console = ServerConsole(
      print: { line in self.state.withLock { $0.output.append(line) } },
      note: { line in self.state.withLock { $0.notes.append(line) } },
      readLine: { self.state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() } })
    let program = ServerProgram(
      variables: ["STRANDLINE_SERVER_DATA": data].merging(variables) { $1 }, console: console,
      clock: clock.wall)
    let code = await program.run(words)
    return state.withLock { Outcome(code: code, output: $0.output, notes: $0.notes) }
  }
}
