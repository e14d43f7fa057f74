import StrandlineTesting

/// What must happen at least once in the runs of the suite: where one of these never does, the
/// runs prove less than they seem to.
enum RareThings {
  static let names =
    FleetAction.Kind.allCases.map { "action: \($0.rawValue)" }
    + [
      "fault: dropRequest", "fault: loseReply", "fault: duplicate", "fault: reorder",
      "fault: delay", "fault: delayAnswer", "fault: throttle", "fault: corrupt",
      "fault: expireCursor", "fault: link down", "fault: record refused",
      "error: accountChanged", "error: accountUnavailable", "error: clockSkew", "error: damaged",
      "error: throttled", "error: unreachable", "full compare", "imports of several pages",
      "groups of several pages", "groups that are a part of an upload", "deaths answered",
      "deletes held", "held deletes confirmed", "held deletes refused", "devices cloned",
      "devices put back from a backup", "kills in the middle of a cycle", "other accounts",
      "zones purged", "questions answered",
      "server restored, announced", "server restored, unannounced", "records set aside",
      "waits for refused records", "stamps from the future replaced", "orphans in the end",
      "facts that were lost with the only one that held them", "conflicts that had to be listed",
      "transactions of another client that were rolled back", "standing: blocked",
      "standing: waiting",
    ]
}
