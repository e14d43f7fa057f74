import StrandlineModels

/// All commands, in the order in which help lists them.
@MainActor enum CommandTable {
  static let all: [Command] =
    RecordCommands.all + ReadCommands.all + TransactionCommands.all + ContextCommands.all
    + SyncCommands.all + StatusCommands.all + RecoveryCommands.all + HistoryCommands.all
    + ConsumerCommands.all + SwitchCommands.all
    + EditCommand.all + LabCommands.all + ClockCommand.all + SchemaCommands.all
    + OutputCommands.all
    + RestoreCommands.all + DeviceCommands.all + PeerCommands.all + FileCommands.all
    + StoreCommands.all + BundleCommand.all + VerifyCommand.all
    + TourCommand.all + ShellCommand.all
    + SessionCommands.all

  /// The command of that name.
  ///
  /// - Throws: `unknownCommand`, with the name that may have been meant.
  static func command(_ token: Token) throws(CommandError) -> Command {
    if let found = all.first(where: { token.isKeyword($0.name) }) { return found }
    let names = all.map(\.name)
    let hint = Suggestion.sentence(for: token.text, among: names)
    throw CommandError(
      "unknownCommand", "Could not run '\(token.text)', there is no such command.",
      advice: hint.isEmpty ? "Type help to see all commands." : hint, at: token)
  }
}
