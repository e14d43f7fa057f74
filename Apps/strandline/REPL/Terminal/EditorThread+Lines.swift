import CEdit
import Foundation

extension EditorThread {
  /// Reads lines until the block is complete.
  func readBlock(_ request: ReadRequest) -> LineResult {
    current = request
    defer { current = nil }
    var lines: [String] = []
    isInBlock = false
    setPrompt(request.prompt)
    while true {
      switch readOneLine() {
      case .line(let line):
        lines.append(line)
        let block = lines.joined(separator: "\n")
        guard request.completes, configuration.needsMore(block) else {
          if request.keepsHistory { remember(block) }
          return .line(block)
        }
        isInBlock = true
        setPrompt(configuration.continuationPrompt)
      case .interrupted(let discarded):
        return .interrupted(discarded: (lines + [discarded]).joined(separator: "\n"))
      case .endOfInput:
        guard !lines.isEmpty, ending == nil else { return .endOfInput }
        return .interrupted(discarded: lines.joined(separator: "\n"))
      }
    }
  }

  private func readOneLine() -> LineResult {
    ending = nil
    listedLine = nil
    shown = nil
    isEditing = true
    var count: Int32 = 0
    let text = el_gets(edit, &count).map { String(cString: $0) }
    isEditing = false
    if var text, ending == nil {
      if text.hasSuffix("\n") { text.unicodeScalars.removeLast() }
      if !isDumb { leaveLine(Array(text.unicodeScalars)) }
      return .line(text)
    }
    switch ending {
    case .interrupt, .cancel: return .interrupted(discarded: discarded)
    case .inputEnded, .close: return .endOfInput
    case nil:
      leaveLine([])
      return .endOfInput
    }
  }

  private var discarded: String {
    String(String.UnicodeScalarView(lineScalars().scalars))
  }

  /// Takes the text of a prompt; libedit reads it through a pointer that stays valid until the
  /// next one.
  func setPrompt(_ text: String) {
    prompt = PromptText(text, unicode: TextLocale.isUTF8)
    free(promptPointer)
    promptPointer = strdup(prompt.marked)
  }

  // MARK: - History

  func loadHistory() {
    strand_history_set_size(events, Int32(clamping: configuration.history?.limit ?? 1000))
    strand_history_set_unique(events, 1)
    strand_edit_set_history(edit, events)
    guard let file = configuration.history else { return }
    do {
      for entry in try file.load() { enter(entry) }
    } catch {
      reportHistoryFailure(error)
    }
  }

  private func enter(_ entry: String) {
    strand_history_enter(events, entry)
    previousEntry = entry
  }

  private func remember(_ block: String) {
    guard HistoryFile.keeps(block, after: previousEntry) else { return }
    enter(block)
    guard let file = configuration.history else { return }
    do {
      try file.append(block)
    } catch {
      reportHistoryFailure(error)
    }
  }

  /// Says once that the history cannot be kept; the session goes on.
  private func reportHistoryFailure(_ error: TerminalError) {
    guard !historyHasFailed else { return }
    historyHasFailed = true
    printAbove("\(error)")
  }
}
