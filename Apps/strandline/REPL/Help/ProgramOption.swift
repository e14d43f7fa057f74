import Strandline

/// One option of the program: what the help, the man page and completion know of it.
struct ProgramOption: Sendable {
  /// What its value can be, for completion.
  enum Value: Sendable {
    case file
    case folder
    case device
    case transport
    case choice([String])
    case text
  }

  let name: String
  /// What stands for its value in the help; nil for an option without one.
  let placeholder: String?
  let summary: String
  let value: Value

  private init(_ name: String, _ placeholder: String?, _ value: Value, _ summary: String) {
    self.name = name
    self.placeholder = placeholder
    self.value = value
    self.summary = summary
  }

  /// The name, and the word for its value.
  var form: String { placeholder.map { "\(name) \($0)" } ?? name }

  static let all: [ProgramOption] = [
    .init("-c", "COMMAND", "run a command and leave; several run in their order"),
    .init("-f", "FILE", .file, "run a script and leave; - is standard input"),
    .init("--home", "DIR", .folder, "where stores, settings and the model live"),
    .init("--config", "FILE", .file, "configuration, by default HOME/strandline.json"),
    .init("--model", "FILE", .file, "model file, by default HOME/model.json"),
    .init("--device", "NAME", .device, "the device to begin with"),
    .init(
      "--transport", "SPEC", .transport,
      "the transport to follow, or none; may be given several times"),
    .init("--zone", "NAME", "the zone, by default default"),
    .init(
      "--environment", "ENV", .choice(["development", "production"]),
      "development or production"),
    .init(
      "--token-file", "FILE", .file, "access token for the transport; see STRANDLINE_TOKEN"),
    .init(
      "--ca-file", "FILE", .file,
      "certificate authorities in PEM to trust instead of the system's"),
    .init("--local", "save and read, never sync"),
    .init("--read-only", "read, never save"),
    .init("--in-memory", "a store that ends with the program"),
    .init("--json", "results as JSON objects, one a line; errors as JSON on stderr"),
    .init("--yes", "confirm everything"),
    .init("--keep-going", "go on after a command of a script failed"),
    .init("--echo", "show each command of a script before it runs"),
    .init("--stay", "go to the prompt when the commands are done"),
    .init(
      "--automatic", "SWITCH", .choice(["on", "off"]),
      "whether background cycles run at the prompt"),
    .init("--debounce-milliseconds", "N", "how long saves are gathered after a cycle"),
    .init("--every-seconds", "N", "how often a cycle runs without any other reason"),
    .init("--history-days", "N", "how long history is kept, or all"),
    .init("--consumer-days", "N", "how long a silent reader of history is waited for"),
    .init("--tombstone-days", "N", "how long deletes are remembered"),
    .init("--no-rc", "do not read the start file"),
    .init(
      "--color", "WHEN", .choice(ColorChoice.allCases.map(\.rawValue)), "auto, always or never"),
    .init("-q", "no banner"),
    .init("--man", "print the man page"),
    .init(
      "--completions", "SHELL", .choice(CompletionScript.allCases.map(\.rawValue)),
      "print the completions for bash, zsh or fish"),
    .init("--version", "print the version, and those of the libraries"),
    .init("--help", "print this"),
  ]

  private init(_ name: String, _ summary: String) {
    self.init(name, nil, .text, summary)
  }

  private init(_ name: String, _ placeholder: String, _ summary: String) {
    self.init(name, placeholder, .text, summary)
  }
}

/// What the program says of itself beside its commands and options.
enum ProgramText {
  /// How it is called.
  static let synopsis = [
    ("[OPTIONS]", "the prompt"),
    ("[OPTIONS] -c COMMAND [-c …]", "commands in order"),
    ("[OPTIONS] -f FILE", "a script; - is standard input"),
    ("[OPTIONS] COMMAND [ARGUMENTS]", "one command"),
  ]

  static let environment = """
    STRANDLINE_HOME, _CONFIG, _MODEL, _DEVICE, _TRANSPORT, _ZONE and _ENVIRONMENT stand for the
    options of these names and come after them. STRANDLINE_TOKEN is an access token, and
    STRANDLINE_CA_FILE a file as of --ca-file; both are used where neither an option nor the
    transport's own entry in the configuration names a file. NO_COLOR turns colours off, PAGER
    names the pager (none if it is empty), SHELL the shell of the command shell.
    """

  static let files = [
    ("$XDG_CONFIG_HOME/strandline/rc", "commands that run before the first prompt"),
    ("$XDG_STATE_HOME/strandline/history", "what was typed at the prompt"),
    ("$XDG_DATA_HOME/strandline", "the home that is used where none is named"),
    ("~/.editrc", "keys of the prompt; bind -v chooses those of vi"),
  ]

  static let exitCodes = [
    (0, "done"), (1, "a command failed"), (2, "usage"), (3, "store unusable"),
    (4, "transport or authorization"), (5, "not caught up in time"), (130, "interrupted"),
  ]
}
