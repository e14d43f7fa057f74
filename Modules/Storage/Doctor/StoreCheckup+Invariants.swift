import StrandlineModels

extension StoreCheckup {
  /// Some invariants, what it means that they hold, and what to do where they do not.
  private struct InvariantGroup {
    let name: String
    let rules: Set<BrokenInvariant.Rule>
    let sound: String
    let cure: String
  }

  private static let newTables =
    "Another program wrote to Strandline's own tables. Restore a backup, or sync into a new store."

  private static let groups = [
    InvariantGroup(
      name: "records", rules: [.lifeAndRow, .unknownFields],
      sound: "Every living record has its row, and every row its stamps.",
      cure: "Somebody wrote with triggers off or dropped a table. Keep a copy. Delete the rows "
        + "without a life and insert them again with triggers on; rows that are gone come back "
        + "from a backup or by syncing into a new store."),
    InvariantGroup(
      name: "stamps", rules: [.shadowForm, .clock, .ownStamp],
      sound: "No stamp is later than the store's clock.", cure: newTables),
    InvariantGroup(
      name: "transactions", rules: [.transactions],
      sound: "The transactions of history follow each other and cover the log.", cure: newTables),
    InvariantGroup(
      name: "log", rules: [.logForm, .parked],
      sound: "Every row of the log says what a writer does.", cure: newTables),
  ]

  /// How many examples a finding gives.
  private static let exampleCount = 3

  /// Whether the store keeps to what holds after every transaction of anybody.
  func invariantFindings() throws -> [CheckupFinding] {
    let broken = try transaction.brokenInvariants()
    let waiting = try unsealedChanges()
    return Self.groups.map { group in
      let found = broken.filter { group.rules.contains($0.rule) }.map(\.message)
      guard !found.isEmpty else {
        return .ok(group.name, group.name == "log" ? group.sound + waiting : group.sound)
      }
      let more = found.count - Self.exampleCount
      let message =
        found.prefix(Self.exampleCount).joined(separator: " ")
        + (more > 0 ? " There are \(more) more at least." : "")
      return CheckupFinding(group.name, .problem, message, cure: group.cure)
    }
  }

  /// What other SQLite clients wrote since the last transaction, in words.
  private func unsealedChanges() throws -> String {
    let count = try connection.integer(
      """
      SELECT count(*) FROM strandline_log
      WHERE sequence > (SELECT coalesce(max(last), 0) FROM strandline_transaction)
      """)
    guard count > 0 else { return "" }
    return " \(CheckupFinding.count(count, "change")) of other programs will become a "
      + "transaction with the next save."
  }
}
