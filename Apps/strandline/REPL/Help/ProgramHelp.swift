import Strandline

/// The text of `--help`.
@MainActor enum ProgramHelp {
  static func text(_ registry: Registry) -> String {
    """
    \(synopsis)

    Options:
    \(options)

    Transports: \(registry.addressForms.joined(separator: ", "))

    Environment: \(ProgramText.environment)

    Files:
    \(rows(ProgramText.files))

    Exit codes: \(exitCodes).

    Commands:
    \(SessionCommands.overview(.plain))
    """
  }

  private static var synopsis: String {
    let calls = ProgramText.synopsis.enumerated().map { index, call in
      (index == 0 ? "Usage: " : "       ")
        + DisplayWidth.pad("strandline \(call.0)", to: 42) + call.1
    }
    return calls.joined(separator: "\n")
  }

  private static var options: String {
    rows(ProgramOption.all.map { ($0.form, $0.summary) })
  }

  private static func rows(_ rows: [(String, String)]) -> String {
    let width = max(21, rows.map { DisplayWidth.of($0.0) }.max() ?? 0)
    return rows.map { "  " + DisplayWidth.pad($0.0, to: width) + " " + $0.1 }
      .joined(separator: "\n")
  }

  private static var exitCodes: String {
    ProgramText.exitCodes.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}
