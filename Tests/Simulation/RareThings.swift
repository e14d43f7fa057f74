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
    ]
}
