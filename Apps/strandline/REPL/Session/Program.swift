import Foundation
import Strandline
public import StrandlineTransport

/// The whole command-line program, for an app that brings its own transports.
///
/// ```swift
/// exit(await StrandlineProgram.run(Registry([.memory, .directory])))
/// ```
public enum StrandlineProgram {
  /// The version that `--version` tells.
  public static let version = "0.1.0"

  /// Runs what the process's arguments ask for.
  ///
  /// - Parameter registry: The transports that are offered.
  /// - Returns: The exit code: 0 done, 1 a command failed, 2 usage, 3 store unusable, 4 transport
  ///   or authorization, 5 not caught up in time.
  @MainActor public static func run(_ registry: Registry) async -> Int32 {
    let streams = StandardStreams.standard
    let variables = ProcessInfo.processInfo.environment
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments == [ProcessDriver.word] {
      return await DeviceProgram.run(registry, streams: streams).number
    }
    do {
      let options = try Options(arguments: arguments)
      return await run(
        options, registry: registry, streams: streams, variables: variables
      ).number
    } catch {
      // Where the arguments make no sense, that they ask for JSON still does.
      let isJSON = arguments.contains("--json")
      streams.note(isJSON ? error.json().text : error.text(source: ""))
      return error.exitCode.number
    }
  }

  /// Runs what the options ask for.
  @MainActor package static func run(
    _ options: Options, registry: Registry, streams: StandardStreams,
    variables: [String: String]
  ) async -> ExitCode {
    switch options.work {
    case .version:
      streams.writeLine("strandline \(version)")
      return .done
    case .help:
      streams.writeLine(ProgramHelp.text(registry))
      return .done
    default: break
    }
    let session: Session
    do {
      session = try await Session.open(
        options, registry: registry, streams: streams, variables: variables)
    } catch {
      let failure = openingError(error)
      streams.note(
        options.isJSON
          ? failure.json().text
          : failure.text(
            source: "",
            style: Style(
              options.color, isTerminal: streams.errorIsTerminal, environment: variables)))
      return failure.exitCode
    }
    var code = await run(session)
    if options.stays, options.work != .session, code == .done, !session.shouldQuit,
      isatty(0) == 1, isatty(1) == 1
    {
      code = await Terminal(session: session).run()
    }
    await session.close()
    return code
  }

  /// A store that cannot be used is told apart from a command that failed.
  private static func openingError(_ error: any Error) -> CommandError {
    switch error {
    case let error as CommandError: error
    case let error as TransportError: CommandError(error, exitCode: .transport)
    case let error as any ExplainedError: CommandError(error, exitCode: .store)
    default:
      CommandError(
        "unexpected", "Could not open the store, \(error).", advice: "", exitCode: .store,
        cause: error)
    }
  }

  @MainActor private static func run(_ session: Session) async -> ExitCode {
    let interpreter = Interpreter(session: session)
    switch session.options.work {
    case .commands(let commands):
      for command in commands {
        let code = await interpreter.run(command)
        if code != .done && !session.options.keepsGoing { return code }
        if session.shouldQuit { break }
      }
      return await interpreter.finish()
    case .command(let words):
      return await interpreter.run(Tokenizer.words(words))
    case .script("-"): return await runInput(interpreter)
    case .script(let path): return await runFile(path, interpreter)
    default:
      if isatty(0) == 1, isatty(1) == 1 { return await Terminal(session: session).run() }
      return await runInput(interpreter)
    }
  }

  @MainActor private static func runFile(
    _ path: String, _ interpreter: Interpreter
  ) async -> ExitCode {
    let text: String
    do {
      try interpreter.session.requireForeignFile(path, exitCode: .usage)
      text = try await read(path)
    } catch let error as CommandError {
      return interpreter.fail(error)
    } catch {
      return interpreter.fail(
        CommandError(
          "cannotRead", "Could not read the script '\(path)'.",
          advice: "Check the path and that it is UTF-8 text.", exitCode: .usage, cause: error))
    }
    return await interpreter.runScript(text, file: path)
  }

  /// The text of a script, which may also come through a pipe such as the shell's `<(…)`.
  private nonisolated static func read(_ path: String) async throws -> String {
    let data = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            try FileHandle(forReadingFrom: URL(fileURLWithPath: path)).readToEnd() ?? Data()
          })
      }
    }
    guard let text = String(bytes: data, encoding: .utf8) else {
      throw CocoaError(.fileReadInapplicableStringEncoding)
    }
    return text
  }

  /// Commands on standard input that is no terminal.
  @MainActor private static func runInput(_ interpreter: Interpreter) async -> ExitCode {
    let data = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(returning: FileHandle.standardInput.readDataToEndOfFile())
      }
    }
    return await interpreter.runScript(String(decoding: data, as: UTF8.self), file: "stdin")
  }
}

/// The text of `--help`.
@MainActor enum ProgramHelp {
  static func text(_ registry: Registry) -> String {
    """
    Usage: strandline [OPTIONS]                       the prompt
           strandline [OPTIONS] -c COMMAND [-c …]     commands in order
           strandline [OPTIONS] -f FILE               a script; - is standard input
           strandline [OPTIONS] COMMAND [ARGUMENTS]   one command

    Options:
      --home DIR            where stores, settings and the model live
      --config FILE         configuration, by default HOME/strandline.json
      --model FILE          model file, by default HOME/model.json
      --device NAME         the device to begin with
      --transport SPEC      one of: \(registry.addressForms.joined(separator: ", "));
                            may be given several times
      --zone NAME           the zone, by default default
      --environment ENV     development or production
      --token-file FILE     access token for the transport; see STRANDLINE_TOKEN
      --ca-file FILE        certificate authorities in PEM to trust instead of the system's
      --local               save and read, never sync
      --read-only           read, never save
      --in-memory           a store that ends with the program
      --json                results as JSON objects, one a line; errors as JSON on stderr
      --yes                 confirm everything
      --keep-going          go on after a command of a script failed
      --echo                show each command of a script before it runs
      --stay                go to the prompt when the commands are done
      --automatic on|off    whether background cycles run at the prompt
      --debounce-milliseconds N, --every-seconds N
                            when they run
      --history-days N|all, --consumer-days N, --tombstone-days N
                            what is kept, as the configuration's retention
      --color WHEN          auto, always or never
      -q                    no banner
      --version, --help     what they say

    Environment: STRANDLINE_HOME, _CONFIG, _MODEL, _DEVICE, _TRANSPORT, _ZONE and
    _ENVIRONMENT stand for the options of these names and come after them. STRANDLINE_TOKEN
    is an access token, and STRANDLINE_CA_FILE a file as of --ca-file; both are used where
    neither an option nor the transport's own entry in the configuration names a file.

    Exit codes: 0 done, 1 a command failed, 2 usage, 3 store unusable,
    4 transport or authorization, 5 not caught up in time, 130 interrupted.

    Commands:
    \(SessionCommands.overview(.plain))
    """
  }
}
