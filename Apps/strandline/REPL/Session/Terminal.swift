import Foundation
import Strandline

/// The session at a terminal: the prompt, live events above it, and Ctrl-C.
@MainActor struct Terminal {
  let session: Session

  func run() async -> ExitCode {
    let vocabulary = Vocabulary(session)
    let editor: LineEditor
    do {
      editor = try await LineEditor.open(configuration(vocabulary))
    } catch {
      session.streams.note("\(error)")
      return .failed
    }
    session.ask = { question in
      let folded = Wrapping.fold(question + " [y/N]", columns: session.streams.columns)
      // The editor's prompt is one line; what stands above it is printed before.
      let lines = folded.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropLast() { session.streams.writeLine(String(line)) }
      let answer = await editor.readLine(prompt: (lines.last ?? "") + " ", isAnswer: true)
      guard case .line(let text) = answer else { return false }
      return ["y", "yes"].contains(text.trimmingCharacters(in: .whitespaces).lowercased())
    }
    session.readLine = { await editor.readLine(prompt: $0, isAnswer: true) }
    session.lend = { work in try await editor.withTerminalReleased { try await work() } }
    session.observe = { device, report in
      await self.tell(report, of: device, editor)
    }
    session.isInteractive = true
    for device in session.devices.values { session.startBackground(device) }
    if !session.options.isQuiet { greet() }
    if session.options.readsStartFile, session.options.work == .session {
      await Interpreter(session: session).runStartFile(StartFile(session.variables))
    }
    let prompts = Task { await self.keepPromptTrue(editor) }
    let code = await loop(editor, vocabulary)
    prompts.cancel()
    session.ask = nil
    session.readLine = nil
    session.lend = nil
    session.observe = nil
    await editor.close()
    return code
  }

  private func configuration(_ vocabulary: Vocabulary) -> LineEditorConfiguration {
    let history = HistoryFile(Self.historyURL(session.variables))
    var configuration = LineEditorConfiguration(programName: "strandline", history: history)
    configuration.needsMore = CommandBlocks.needsMore
    configuration.willTerminate = { _ in TourFolder.removeAll() }
    configuration.complete = { vocabulary.complete($0, cursor: $1) }
    return configuration
  }

  private static func historyURL(_ variables: [String: String]) -> URL {
    let state =
      variables["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (variables["HOME"] ?? NSHomeDirectory()) + "/.local/state"
    return URL(fileURLWithPath: state + "/strandline/history")
  }

  private func greet() {
    session.streams.writeLine(
      "strandline \(StrandlineProgram.version), home \(session.home.folder), transport "
        + "\(session.peersText).")
    session.streams.writeLine("Type help to see the commands, quit to leave.")
  }

  private func loop(_ editor: LineEditor, _ vocabulary: Vocabulary) async -> ExitCode {
    let running = RunningCommand()
    let interrupts = Task {
      for await _ in editor.interrupts { running.task?.cancel() }
    }
    defer { interrupts.cancel() }
    while !session.shouldQuit {
      await vocabulary.refresh(session)
      switch await editor.readLine(prompt: await Prompt(session: session).text()) {
      case .line(let text): await run(text, running)
      case .interrupted(let discarded):
        if discarded.isEmpty { session.streams.note("Type quit or press Ctrl-D to leave.") }
      case .endOfInput: session.shouldQuit = true
      }
    }
    if session.device.isInTransaction {
      session.streams.note("The edits since begin were never committed and are undone.")
    }
    return .done
  }

  /// Runs what was typed, or the lines of a pasted block; Ctrl-C cancels the command that runs.
  private func run(_ text: String, _ running: RunningCommand) async {
    let interpreter = Interpreter(session: session)
    for block in CommandBlocks.split(text) where !session.shouldQuit {
      let task = Task { await interpreter.run(block.text) }
      running.task = task
      let code = await paging(block.text) { await task.value }
      running.task = nil
      if code == .interrupted { return }
    }
  }

  /// Keeps what a command for leisure says until it has ended, and pages what is taller than the
  /// screen.
  private func paging(_ text: String, _ work: () async -> ExitCode) async -> ExitCode {
    let name = text.split(whereSeparator: \.isWhitespace).first.map { $0.lowercased() } ?? ""
    guard !session.isJSON, Pager.commands.contains(name), !session.streams.isRedirected,
      let pager = Pager(session.variables)
    else { return await work() }
    session.streams.hold()
    let code = await work()
    let shown = session.streams.takeHeld()
    let size = TerminalModes.size(of: 1)
    guard Pager.isTall(shown, columns: size.columns, rows: size.rows) else {
      session.streams.write(shown)
      return code
    }
    if await !page(shown, pager) { session.streams.write(shown) }
    return code
  }

  private func page(_ text: String, _ pager: Pager) async -> Bool {
    guard let lend = session.lend else { return false }
    do {
      return try await lend { await pager.show(text) ? 0 : 1 } == 0
    } catch {
      // The text is shown without a pager then.
      return false
    }
  }

  /// The command that runs now, for Ctrl-C.
  @MainActor private final class RunningCommand {
    var task: Task<ExitCode, Never>?
  }

  /// The prompt's state follows the tables while the person types.
  private func keepPromptTrue(_ editor: LineEditor) async {
    var watched = session.device
    while !Task.isCancelled {
      for await _ in watched.store.observations() {
        if session.device !== watched || Task.isCancelled { break }
        editor.updatePrompt(await Prompt(session: session).text())
      }
      watched = session.device
    }
  }

  private func tell(_ report: PeerReport, of device: Device, _ editor: LineEditor) async {
    let before = device.lastTold[report.peer] ?? Device.ToldPeer()
    let wording = ReportText(session: session, device: device)
    let columns = TerminalModes.size(of: 1).columns
    for line in wording.lines(report, after: before) {
      editor.printAbove(Wrapping.fold(line, columns: columns))
    }
    device.lastTold[report.peer] = Device.ToldPeer(
      error: report.error?.codeName, waitingFor: report.waitingFor, notices: report.notices)
    if device === session.device {
      editor.updatePrompt(await Prompt(session: session).text())
    }
  }
}
