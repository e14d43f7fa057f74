import CEdit
import Foundation
import Synchronization

/// The state of the editor's thread; it is made, used and freed there.
///
///     idle --read--> editing --line, Ctrl-C, Ctrl-D--> idle
///     idle --release--> lent --hold--> idle
///     idle, editing --close--> ended
final class EditorThread {
  let configuration: LineEditorConfiguration
  let mailbox: EditorMailbox
  let interrupts: AsyncStream<Void>.Continuation
  let edit: OpaquePointer
  let events: OpaquePointer
  let screen: UnsafeMutablePointer<FILE>
  /// Where libedit draws, unless the terminal is dumb and nothing can be drawn anew.
  let sink: EditorSink
  private let keyboard: UnsafeMutablePointer<FILE>
  let isDumb: Bool
  /// Whether the person's settings chose vi's keys.
  var isVi = false

  // Input.
  var bytes: [UInt8] = []
  var bytesRead = 0
  var decoder = ScalarDecoder()
  var scalars: [Unicode.Scalar] = []

  // The line that is being edited, if `isEditing`.
  var isEditing = false
  var current: ReadRequest?
  var prompt = PromptText("")
  var promptPointer: UnsafeMutablePointer<CChar>?
  /// Why the read callback ended the line.
  var ending: Ending?
  var listedLine: String?
  /// What the screen shows of the line, or nil if nothing yet.
  var shown: EditorPicture?
  /// Whether this is the second or a further line of a block.
  var isInBlock = false

  // What waits.
  var requests: [ReadRequest] = []
  var releases: [CheckedContinuation<Void, Never>] = []
  var closers: [CheckedContinuation<Void, Never>] = []
  var isLent = false
  /// What was to be printed while the terminal was lent.
  var heldText = ""
  var isClosing = false
  var previousEntry: String?
  var historyHasFailed = false

  enum Ending {
    case interrupt
    case cancel
    case inputEnded
    case close
  }

  /// Runs until the editor is closed; `started` is called once, with what went wrong if it did.
  static func run(
    _ configuration: LineEditorConfiguration, _ mailbox: EditorMailbox,
    _ interrupts: AsyncStream<Void>.Continuation,
    started: (Result<Void, any Error>) -> Void
  ) {
    do {
      let thread = try EditorThread(configuration, mailbox, interrupts)
      thread.begin()
      started(.success(()))
      thread.loop()
      thread.end()
    } catch {
      started(.failure(error))
    }
  }

  private init(
    _ configuration: LineEditorConfiguration, _ mailbox: EditorMailbox,
    _ interrupts: AsyncStream<Void>.Continuation
  ) throws(TerminalError) {
    self.configuration = configuration
    self.mailbox = mailbox
    self.interrupts = interrupts
    _ = TextLocale.isUTF8
    sink = try EditorSink()
    let terminal = ProcessInfo.processInfo.environment["TERM"] ?? ""
    isDumb = terminal.isEmpty || terminal == "dumb"
    try TerminalModes.begin(
      input: configuration.input, output: configuration.output, pasteMarks: !isDumb)
    guard let keyboard = fdopen(dup(configuration.input), "r"),
      let screen = fdopen(dup(configuration.output), "w"),
      let edit = el_init_fd(
        configuration.programName, keyboard, isDumb ? screen : sink.stream,
        isDumb ? screen : sink.stream, configuration.input,
        configuration.output, configuration.output),
      let events = history_init()
    else {
      TerminalModes.end()
      throw .system("set up the line editor", errno == 0 ? ENOMEM : errno)
    }
    self.keyboard = keyboard
    self.screen = screen
    self.edit = edit
    self.events = events
  }

  private func begin() {
    strand_edit_set_client(edit, Unmanaged.passUnretained(self).toOpaque())
    strand_edit_set_signals(edit, 0)
    // A terminal's stream would leave line by line.
    setvbuf(screen, nil, Int32(_IOFBF), 1 << 16)
    strand_edit_prepare_modes(edit)
    strand_edit_set_reader(edit) { edit, character in
      guard let character else { return -1 }
      return EditorThread.of(edit)?.readCharacter(into: character) ?? -1
    }
    strand_edit_set_prompt(
      edit, { edit in EditorThread.of(edit)?.promptPointer }, CChar(PromptText.escapeMark))
    bindKeys()
    loadHistory()
    TerminalSignals.report(to: mailbox.pipe)
  }

  private func end() {
    TerminalSignals.stopReporting()
    el_end(edit)
    history_end(events)
    fclose(screen)
    fclose(keyboard)
    free(promptPointer)
    TerminalModes.end()
    interrupts.finish()
    LineEditor.exists.store(false, ordering: .sequentiallyConsistent)
    for message in mailbox.close() { refuse(message) }
    for request in requests { request.continuation.resume(returning: .endOfInput) }
    for waiting in releases + closers { waiting.resume() }
  }

  private func refuse(_ message: EditorMessage) {
    switch message {
    case .read(let request): request.continuation.resume(returning: .endOfInput)
    case .release(let waiting), .close(let waiting): waiting.resume()
    case .cancel, .print, .prompt, .hold: break
    }
  }

  /// The thread's state behind libedit's pointer.
  static func of(_ edit: OpaquePointer?) -> EditorThread? {
    guard let client = strand_edit_client(edit) else { return nil }
    return Unmanaged<EditorThread>.fromOpaque(client).takeUnretainedValue()
  }

  // MARK: - The loop

  private func loop() {
    while !isClosing {
      takeMail()
      if isClosing { return }
      if !isLent, let request = requests.first {
        requests.removeFirst()
        let result = readBlock(request)
        request.continuation.resume(returning: result)
      } else if !isLent, !releases.isEmpty {
        lend()
      } else {
        var wait = pollfd(fd: mailbox.pipe.readEnd, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, -1)
      }
    }
  }

  /// Answers signals and messages, while a line is being edited and otherwise.
  func takeMail() {
    for signal in mailbox.pipe.drain() { answer(signal) }
    var texts = ""
    for message in mailbox.takeAll() {
      if case .print(let text) = message {
        // A burst of events draws the line once.
        texts += Self.withNewline(text)
        continue
      }
      printAbove(texts)
      texts = ""
      answer(message)
    }
    printAbove(texts)
  }

  static func withNewline(_ text: String) -> String {
    text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
  }

  private func answer(_ message: EditorMessage) {
    switch message {
    case .read(let request): requests.append(request)
    case .cancel(let id): cancel(id)
    case .print(let text): printAbove(text)
    case .prompt(let text): showPrompt(text)
    case .release(let waiting): releases.append(waiting)
    case .hold: takeBack()
    case .close(let waiting):
      closers.append(waiting)
      isClosing = true
      ending = .close
    }
  }

  private func cancel(_ id: UInt64) {
    if current?.id == id {
      ending = .cancel
    } else if let index = requests.firstIndex(where: { $0.id == id }) {
      requests.remove(at: index).continuation.resume(returning: .interrupted(discarded: ""))
    }
  }

  private func lend() {
    TerminalModes.restore()
    isLent = true
    for waiting in releases { waiting.resume() }
    releases = []
  }

  private func takeBack() {
    guard isLent else { return }
    isLent = false
    strand_edit_prepare_modes(edit)
    TerminalModes.markPastes()
    printAbove(heldText)
    heldText = ""
  }

  private func answer(_ signal: Int32) {
    switch signal {
    case SIGINT where isLent: break
    case SIGINT: interrupt()
    case SIGWINCH where isEditing: resize()
    case SIGTSTP: stop()
    case SIGTERM, SIGHUP, SIGQUIT: terminate(signal)
    default: break
    }
  }

  private func interrupt() {
    // What was typed ahead, or the rest of a paste, must not run after it.
    tcflush(configuration.input, TCIFLUSH)
    forgetInput()
    if isEditing {
      ending = .interrupt
    } else {
      interrupts.yield()
    }
  }

  private func terminate(_ signal: Int32) {
    if isEditing { leaveLine() }
    TerminalModes.end()
    configuration.willTerminate(signal)
    TerminalSignals.actByDefault(signal)
  }
}
