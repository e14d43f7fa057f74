/// Completions for fish.
@MainActor struct FishCompletion {
  let words: CompletionWords

  var text: String {
    let head = ["# Completions of strandline for fish.", "complete -c strandline -f"]
    let lines = head + words.options.map(line) + words.commands.flatMap(lines)
    return lines.joined(separator: "\n") + "\n"
  }

  private func line(_ option: ProgramOption) -> String {
    let isLong = option.name.hasPrefix("--")
    let name = isLong ? "-l \(option.name.dropFirst(2))" : "-s \(option.name.dropFirst())"
    let value =
      option.placeholder == nil ? "" : " -r" + argument(words.kind(of: option), forOption: true)
    return "complete -c strandline \(name)\(value) -d \(quoted(option.summary))"
  }

  private func lines(_ command: CompletionWords.Entry) -> [String] {
    let first =
      "complete -c strandline -n __fish_use_subcommand -a \(command.name) "
      + "-d \(quoted(command.summary))"
    let seen = "complete -c strandline -n '__fish_seen_subcommand_from \(command.name)'"
    let places = command.places.enumerated().compactMap { index, kind -> String? in
      guard let kind else { return nil }
      // The words of the line before the cursor: the program, the command, and those after it.
      return "complete -c strandline -n '__fish_seen_subcommand_from \(command.name); "
        + "and test (count (commandline -opc)) -ge \(index + 2)'"
        + argument(kind, forOption: false)
    }
    return [first] + places + command.options.map { seen + " -l \($0.dropFirst(2))" }
  }

  private func argument(_ kind: CompletionWords.Kind?, forOption: Bool) -> String {
    switch kind {
    case .file: " -F"
    case .folder: " -a '(__fish_complete_directories)'"
    case .words(let words): " -a \(quoted(words.joined(separator: " ")))"
    case .local(let words):
      " -a '(strandline \(LocalWords.option) \(words.rawValue) 2>/dev/null)'"
    case nil: ""
    }
  }

  private func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
