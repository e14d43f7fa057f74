import Strandline

/// Commands that make several edits one transaction.
@MainActor enum TransactionCommands {
  static let all: [Command] = [
    Command(
      name: "begin", usage: "begin", summary: "Begin a transaction of several edits.",
      example: "begin", group: .records, run: begin),
    Command(
      name: "commit", usage: "commit",
      summary: "Save the edits since begin, or of the context, as one.",
      example: "commit", group: .records, run: commit),
    Command(
      name: "rollback", usage: "rollback",
      summary: "Undo the edits since begin, or of the context.",
      example: "rollback", group: .records, run: rollback),
  ]

  private static func begin(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    try session.requireNoTransaction("Could not begin, a transaction is open already.")
    guard session.device.context == nil else {
      throw CommandError(
        "contextOpen", "Could not begin, edits are kept in a context until commit.",
        advice: "Use commit or rollback, or leave the context: context store.")
    }
    try await session.device.store.begin(author: "strandline", context: "transaction")
    session.device.isInTransaction = true
    session.say(.object(["transaction": .string("begun")]), "Began a transaction.")
  }

  private static func commit(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    if let context = session.device.context {
      return try await ContextCommands.commit(context, session)
    }
    try requireOpen(session, "commit")
    do {
      try await session.device.store.commit()
    } catch {
      session.streams.note("The transaction is still open: mend it and commit, or roll it back.")
      throw error
    }
    session.device.isInTransaction = false
    session.say(.object(["transaction": .string("committed")]), "Saved the transaction.")
  }

  private static func rollback(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(0)
    if let context = session.device.context {
      context.rollback()
      return session.say(
        .object(["transaction": .string("rolledBack")]), "Discarded the unsaved edits.")
    }
    try requireOpen(session, "roll back")
    try await session.device.store.rollback()
    session.device.isInTransaction = false
    session.say(.object(["transaction": .string("rolledBack")]), "Undid the transaction.")
  }

  private static func requireOpen(_ session: Session, _ verb: String) throws(CommandError) {
    guard !session.device.isInTransaction else { return }
    throw CommandError(
      "noTransaction", "Could not \(verb), no transaction is open.", advice: "Use begin first.")
  }
}

extension Session {
  /// Refuses what would wait for the end of the open transaction, which only the person can end.
  func requireNoTransaction(_ refusal: String) throws(CommandError) {
    guard device.isInTransaction else { return }
    throw CommandError("transactionOpen", refusal, advice: "Use commit or rollback first.")
  }
}
