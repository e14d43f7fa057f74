/// Completions for zsh, as a function that `compinit` finds.
@MainActor struct ZshCompletion {
  let words: CompletionWords

  var text: String {
    #"""
    #compdef strandline
    # Completions of strandline for zsh.
    _strandline() {
      local before="${words[CURRENT-1]}" word="${words[CURRENT]}"
      local command="" position=0 index=2
      local -a home commands options
      while (( index < CURRENT )); do
        case "${words[index]}" in
          (--home|--config|--model)
            home+=("${words[index]}" "${words[index+1]/#\~/$HOME}"); (( index += 1 )) ;;
          (\#(valued)) (( index += 1 )) ;;
          (-*) ;;
          (*) if [[ -z "$command" ]]; then command="${words[index]}"
              else (( position += 1 )); fi ;;
        esac
        (( index += 1 ))
      done
      case "$before" in
    \#(values)
      esac
      if [[ "$word" == -* ]]; then
        case "$command" in
    \#(commandOptions)
          (*) options=(
    \#(allOptions)
          ) ;;
        esac
        _describe -o option options
        return
      fi
      if [[ -z "$command" ]]; then
        commands=(
    \#(allCommands)
        )
        _describe command commands
        return
      fi
      case "$command:$position" in
    \#(places)
      esac
    }
    if [[ "${funcstack[1]}" == "_strandline" ]]; then _strandline "$@"; else
      compdef _strandline strandline
    fi

    """#
  }

  private var valued: String {
    words.options.filter { $0.placeholder != nil }.map(\.name).joined(separator: "|")
  }

  private var values: String {
    words.options.filter { $0.placeholder != nil }.map { option in
      "    (\(option.name)) \(action(words.kind(of: option)))return ;;"
    }.joined(separator: "\n")
  }

  private var commandOptions: String {
    words.commands.filter { !$0.options.isEmpty }.map { command in
      "      (\(command.name)) options=(\(command.options.joined(separator: " "))) ;;"
    }.joined(separator: "\n")
  }

  private var allOptions: String {
    words.options.map { "        " + described($0.name, $0.summary) }.joined(separator: "\n")
  }

  private var allCommands: String {
    words.commands.map { "      " + described($0.name, $0.summary) }.joined(separator: "\n")
  }

  private var places: String {
    words.commands.flatMap { command in
      command.places.enumerated().compactMap { index, kind in
        kind.map { "    (\(command.name):\(index)) \(action($0));;" }
      }
    }.joined(separator: "\n")
  }

  private func action(_ kind: CompletionWords.Kind?) -> String {
    switch kind {
    case .file: "_files; "
    case .folder: "_files -/; "
    case .words(let words): "compadd -- \(words.joined(separator: " ")); "
    case .local(let words):
      "compadd -- ${(f)\"$(strandline $home \(LocalWords.option) \(words.rawValue) "
        + "2>/dev/null)\"}; "
    case nil: ""
    }
  }

  private func described(_ name: String, _ summary: String) -> String {
    let text = name + ":" + summary.replacing(":", with: "\\:")
    return "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
