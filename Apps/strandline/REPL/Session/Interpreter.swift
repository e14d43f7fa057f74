import Strandline

/// Runs commands one after the other and says what went wrong.
@MainActor struct Interpreter {
  let session: Session

  /// Runs one command; nothing is said where the text holds none.
  ///
  /// - Returns: How it ended; `done` unless it failed.
  func run(_ text: String, file: String? = nil, firstLine: Int = 1) async -> ExitCode {
    do {
      let tokenized = try Tokenizer.tokenize(text)
      return await run(tokenized, file: file, firstLine: firstLine)
    } catch {
      return fail(error, source: text, file: file, firstLine: firstLine)
    }
  }

  /// Runs a command whose words are known.
  func run(
    _ tokenized: TokenizedCommand, file: String? = nil, firstLine: Int = 1
  ) async -> ExitCode {
    guard let name = tokenized.tokens.first else { return .done }
    let start = ContinuousClock.now
    let isLastToFile = session.isOutputOnce
    defer {
      if session.isTiming { tellTime(ContinuousClock.now - start) }
    }
    do {
      let command = try CommandTable.command(name)
      defer { if isLastToFile { endOutput() } }
      try await command.run(session, CommandInput(tokenized: tokenized, command: command))
      if let failure = session.streams.takeFailure() { throw failure }
      return .done
    } catch {
      return fail(
        Self.commandError(error), source: tokenized.source, file: file, firstLine: firstLine)
    }
  }

  /// Shows results again after the one command whose results went to a file.
  private func endOutput() {
    guard session.isOutputOnce else { return }
    session.isOutputOnce = false
    // Nothing is opened, so nothing can fail.
    try? session.streams.redirect(to: nil)
  }

  private func tellTime(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    session.streams.note(
      session.isJSON
        ? JSONValue.object(["timer": .object(["milliseconds": .integer(milliseconds)])]).text
        : "Took \(milliseconds) ms.")
  }

  /// Says what went wrong, in the form that was asked for.
  func fail(
    _ error: CommandError, source: String = "", file: String? = nil, firstLine: Int = 1
  ) -> ExitCode {
    if session.isJSON {
      session.streams.note(error.json(file: file, firstLine: firstLine).text)
    } else {
      session.streams.note(
        error.text(
          source: source, style: session.style, file: file, firstLine: firstLine,
          columns: session.streams.errorColumns))
    }
    return error.exitCode
  }

  /// What any error means for a command and for how a script ends.
  static func commandError(_ error: any Error) -> CommandError {
    switch error {
    case let error as CommandError: error
    case is CancellationError:
      CommandError(
        "interrupted", "The command was cancelled.",
        advice: "What it had saved is saved; the rest was not begun.", exitCode: .interrupted)
    case let error as TransportError: CommandError(error, exitCode: .transport)
    case let error as StorageError where error.code == .leaseHeld:
      CommandError(error, exitCode: .store)
    case let error as any ExplainedError: CommandError(error)
    default:
      CommandError(
        "unexpected", "Could not run the command, \(error).",
        advice: "Try again; if it happens again, it is a fault of the program.", cause: error)
    }
  }

  // MARK: Scripts

  /// Runs the commands of a script and stops at the first that fails, unless told to go on.
  func runScript(_ text: String, file: String) async -> ExitCode {
    var worst = ExitCode.done
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    var shown = 0
    for block in CommandBlocks.split(text) {
      if session.options.echoes {
        tellRemarks(lines[shown..<min(block.line - 1, lines.count)])
        shown = block.line - 1
        echo(await Prompt(session: session).text() + block.text)
      }
      let code = await run(block.text, file: file, firstLine: block.line)
      if session.streams.isBroken { return .done }
      if code != .done {
        if !session.options.keepsGoing { return code }
        worst = code
      }
      if session.shouldQuit { break }
    }
    if session.options.echoes, shown < lines.count { tellRemarks(lines[shown...]) }
    return worst == .done ? await finish() : worst
  }

  /// Shows a command before it runs, but not in the file that results go to.
  private func echo(_ line: String) {
    if session.streams.isRedirected {
      session.streams.note(line)
    } else {
      session.streams.writeLine(line)
    }
  }

  /// Shows the remarks of a script to whoever watches it.
  private func tellRemarks(_ lines: ArraySlice<Substring>) {
    let remarks = lines.filter { $0.hasPrefix("-- ") }
    guard !remarks.isEmpty else { return }
    session.streams.writeLine("")
    for remark in remarks {
      session.streams.writeLine(session.style.heading(String(remark.dropFirst(3))))
    }
  }

  /// A transaction that a script left open is undone, and that is a failure.
  func finish() async -> ExitCode {
    let unsaved = session.devices.values.flatMap(\.contexts).filter(\.value.hasChanges).map(\.key)
    if let name = unsaved.min() {
      return fail(
        CommandError(
          "contextOpen", "Could not keep the edits in the context \(name), they were never saved.",
          advice: "End the script with commit or rollback in that context."))
    }
    guard session.device.isInTransaction else { return .done }
    return fail(
      CommandError(
        "transactionOpen", "Could not keep the edits since begin, they were never committed.",
        advice: "End the script with commit."))
  }
}
