import Foundation
import Strandline

/// The tour as a program of its own, which opens no home.
@MainActor enum TourProgram {
  /// Plays the tour: at a terminal step by step, elsewhere without waiting.
  static func run(
    _ options: Options, _ words: [String], registry: Registry, streams: StandardStreams,
    variables: [String: String]
  ) async -> ExitCode {
    do {
      if let stray = words.dropFirst().first {
        throw CommandError(
          "strayWord", "Could not run 'tour', '\(stray)' is one word too many.",
          advice: "Usage: tour", exitCode: .usage)
      }
      guard isatty(0) == 1, isatty(1) == 1 else {
        return try await play(options, registry, streams, variables)
      }
      return try await playAtTerminal(options, registry, streams, variables)
    } catch {
      let failure = Interpreter.commandError(error)
      streams.note(options.isJSON ? failure.json().text : failure.text(source: ""))
      return failure.exitCode
    }
  }

  /// Plays through; whoever ends the process leaves nothing behind.
  private static func play(
    _ options: Options, _ registry: Registry, _ streams: StandardStreams,
    _ variables: [String: String]
  ) async throws -> ExitCode {
    let sources = [SIGINT, SIGTERM, SIGHUP].map { endingSource($0) }
    defer { for source in sources { source.cancel() } }
    let tour = try await Tour.open(
      registry, streams: streams, color: options.color, variables: variables, ask: nil)
    return await tour.play()
  }

  private nonisolated static func endingSource(_ number: Int32) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in
      TourFolder.removeAll()
      TerminalSignals.actByDefault(number)
    }
    source.setCancelHandler { @Sendable in TerminalSignals.restoreDefault(number) }
    source.resume()
    return source
  }

  private static func playAtTerminal(
    _ options: Options, _ registry: Registry, _ streams: StandardStreams,
    _ variables: [String: String]
  ) async throws -> ExitCode {
    var configuration = LineEditorConfiguration(programName: "strandline")
    configuration.willTerminate = { _ in TourFolder.removeAll() }
    let editor = try await LineEditor.open(configuration)
    let playing = Task {
      let tour = try await Tour.open(
        registry, streams: streams, color: options.color, variables: variables,
        ask: {
          await TourAnswers.read(streams) { await editor.readLine(prompt: $0, isAnswer: true) }
        })
      return await tour.play()
    }
    let interrupts = Task {
      for await _ in editor.interrupts { playing.cancel() }
    }
    let result = await playing.result
    interrupts.cancel()
    await editor.close()
    return try result.get()
  }
}
