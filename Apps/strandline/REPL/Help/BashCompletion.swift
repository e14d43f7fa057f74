/// Completions for bash, without any helper that would have to be installed.
@MainActor struct BashCompletion {
  let words: CompletionWords

  var text: String {
    #"""
    # Completions of strandline for bash.
    _strandline() {
      local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"
      local command="" position=0 index=1 home=()
      COMPREPLY=()
      while [ "$index" -lt "$COMP_CWORD" ]; do
        case "${COMP_WORDS[index]}" in
          --home|--config|--model)
            home+=("${COMP_WORDS[index]}" "${COMP_WORDS[index+1]/#\~/$HOME}")
            index=$((index + 1)) ;;
          \#(valued)) index=$((index + 1)) ;;
          -*) ;;
          *) if [ -z "$command" ]; then command="${COMP_WORDS[index]}"
             else position=$((position + 1)); fi ;;
        esac
        index=$((index + 1))
      done
      case "$before" in
    \#(values)
      esac
      case "$word" in
        -*) case "$command" in
    \#(commandOptions)
            esac
            return ;;
      esac
      case "$command:$position" in
        :*) COMPREPLY=($(compgen -W "\#(words.commands.map(\.name).joined(separator: " "))" -- "$word")) ;;
    \#(places)
      esac
    }
    complete -F _strandline strandline

    """#
  }

  private var valued: String {
    words.options.filter { $0.placeholder != nil }.map(\.name).joined(separator: "|")
  }

  private var values: String {
    words.options.filter { $0.placeholder != nil }.map { option in
      "    \(option.name)) \(action(words.kind(of: option)))return ;;"
    }.joined(separator: "\n")
  }

  private var commandOptions: String {
    let own = words.commands.filter { !$0.options.isEmpty }.map { command in
      "          \(command.name)) \(action(.words(command.options)));;"
    }
    let all = words.options.map(\.name)
    return (own + ["          *) \(action(.words(all)));;"]).joined(separator: "\n")
  }

  private var places: String {
    words.commands.flatMap { command in
      command.places.enumerated().compactMap { index, kind in
        kind.map { "    \(command.name):\(index)) \(action($0));;" }
      }
    }.joined(separator: "\n")
  }

  private func action(_ kind: CompletionWords.Kind?) -> String {
    switch kind {
    case .file: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$word\")); "
    case .folder: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$word\")); "
    case .words(let words):
      "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\")); "
    case .local(let words):
      "COMPREPLY=($(compgen -W \"$(strandline \"${home[@]}\" \(LocalWords.option) "
        + "\(words.rawValue) 2>/dev/null)\" -- \"$word\")); "
    case nil: ""
    }
  }
}
