import Foundation

/// The command that runs a program, or a whole shell, without leaving the session.
@MainActor enum ShellCommand {
  static let all: [Command] = [
    Command(
      name: "shell", usage: "shell [COMMAND]",
      summary: "Run a command of the system, or a shell until it ends.",
      example: "shell ls -l", group: .session, words: [.file],
      notes: "What follows is the shell's, quotes and all. Its exit status is 1 or more where it "
        + "failed, and then this command failed too.", run: run)
  ]

  private static func run(_ session: Session, _ input: CommandInput) async throws {
    let tokens = input.tokenized.tokens
    let shell = session.variables["SHELL"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/bin/sh"
    guard tokens.count > 1 || session.lend != nil else {
      throw CommandError(
        "missingWord", "Could not run a shell, there is no terminal for it.",
        advice: "Name a command: \(input.command.example)", at: input.tokenized.end,
        exitCode: .usage)
    }
    let arguments = tokens.count > 1 ? [shell, "-c", input.tokenized.text(from: 1)] : [shell]
    let work: @MainActor @Sendable () async throws -> Int32 = {
      try await ForegroundProcess.run(arguments)
    }
    let status = try await session.lendTerminal(work)
    guard status != 0, tokens.count > 1 else { return }
    throw CommandError(
      "shellFailed", "Could not run the command to its end, it left with status \(status).",
      advice: "What it printed says why.")
  }
}
