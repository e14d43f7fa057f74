import Foundation
import Synchronization

/// How reading a line ended.
package enum LineResult: Equatable, Sendable {
  /// A line, or a block of several; the text has no newline at its end.
  case line(String)
  /// Ctrl-C, or Ctrl-D inside a block; what had been typed is dropped.
  case interrupted(discarded: String)
  /// Ctrl-D on an empty line, or the terminal is gone.
  case endOfInput
}

/// What a line editor needs to know about its program.
package struct LineEditorConfiguration: Sendable {
  /// The name by which `~/.editrc` knows the program.
  package var programName: String
  /// The history file; nil keeps no history beyond the session.
  package var history: HistoryFile?
  /// The prompt of the second and further lines of a block.
  package var continuationPrompt = "...> "
  /// Whether a block needs a further line.
  package var needsMore: @Sendable (_ block: String) -> Bool = { _ in false }
  /// What can stand at the cursor (in characters); called on the editor's thread, so it must
  /// answer from local data at once.
  package var complete: @Sendable (_ line: String, _ cursor: Int) -> Completion = { _, _ in .none }
  /// Called on the editor's thread when SIGTERM, SIGHUP or SIGQUIT has arrived and the terminal is
  /// restored; the process ends by that signal when it returns.
  package var willTerminate: @Sendable (_ signal: Int32) -> Void = { _ in }
  /// The terminal that keys come from.
  package var input: Int32 = 0
  /// The terminal that is drawn on: standard output, or standard error where that goes elsewhere.
  package var output: Int32 = isatty(1) == 1 ? 1 : 2

  /// Names the program.
  package init(programName: String, history: HistoryFile? = nil) {
    self.programName = programName
    self.history = history
  }
}

/// Reads lines from a terminal with editing, history and completion, and prints above the line.
///
/// There is at most one in a process, and only for a terminal; input from elsewhere is read
/// plainly. All calls of libedit happen on one thread of its own, which waits in `poll` for keys
/// and for messages; every member may be used from anywhere.
package final class LineEditor: Sendable {
  /// Whether there is one in this process.
  static let exists = Atomic<Bool>(false)
  private let mailbox: EditorMailbox

  /// One element for each Ctrl-C while no line is being edited; for one consumer that always
  /// listens, so that no old interrupt hits a new command.
  package let interrupts: AsyncStream<Void>

  private init(mailbox: EditorMailbox, interrupts: AsyncStream<Void>) {
    self.mailbox = mailbox
    self.interrupts = interrupts
  }

  /// Takes the terminal over.
  package static func open(
    _ configuration: LineEditorConfiguration
  ) async throws -> LineEditor {
    guard isatty(configuration.input) == 1, isatty(configuration.output) == 1 else {
      throw TerminalError(
        "notATerminal", "Could not edit lines, the input or output is not a terminal.",
        advice: "Read the input plainly instead.")
    }
    guard !exists.exchange(true, ordering: .sequentiallyConsistent) else {
      throw TerminalError(
        "editorExists", "Could not make a line editor, the process has one already.",
        advice: "Close the other one first.")
    }
    do {
      let mailbox = try EditorMailbox()
      let (stream, interrupts) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      try await withCheckedThrowingContinuation { started in
        let thread = Thread {
          EditorThread.run(configuration, mailbox, interrupts) { started.resume(with: $0) }
        }
        thread.name = "line editor"
        thread.start()
      }
      return LineEditor(mailbox: mailbox, interrupts: stream)
    } catch {
      exists.store(false, ordering: .sequentiallyConsistent)
      throw error
    }
  }

  /// Reads a line, or a block of lines where the configuration asks for more.
  ///
  /// An answer to a question is read without history and completion. A reader that is cancelled
  /// gets `interrupted`.
  package func readLine(
    prompt: String, isAnswer: Bool = false
  ) async -> LineResult {
    let id = mailbox.nextID()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let request = ReadRequest(
          id: id, prompt: prompt, keepsHistory: !isAnswer, completes: !isAnswer,
          continuation: continuation)
        if !mailbox.post(.read(request)) { continuation.resume(returning: .endOfInput) }
        if Task.isCancelled { mailbox.post(.cancel(id)) }
      }
    } onCancel: {
      mailbox.post(.cancel(id))
    }
  }

  /// Prints text; while a line is being edited it appears above the line, which stays as it is.
  package func printAbove(_ text: String) {
    mailbox.post(.print(text))
  }

  /// Shows another prompt before the line that is being edited, or before the next one until
  /// that brings its own.
  package func updatePrompt(_ prompt: String) {
    mailbox.post(.prompt(prompt))
  }

  /// Lends the terminal as it was found to the body, such as an editor that it runs.
  package func withTerminalReleased<Result>(
    _ body: () async throws -> Result
  ) async rethrows -> Result {
    await withCheckedContinuation { continuation in
      if !mailbox.post(.release(continuation)) { continuation.resume() }
    }
    defer { mailbox.post(.hold) }
    return try await body()
  }

  /// Prints what still waits, restores the terminal and ends the thread; whoever still waits for
  /// a line gets the end of the input.
  package func close() async {
    await withCheckedContinuation { continuation in
      if !mailbox.post(.close(continuation)) { continuation.resume() }
    }
  }
}
