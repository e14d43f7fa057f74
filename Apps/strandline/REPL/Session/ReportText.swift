import Strandline

/// What is told above the prompt of a cycle that ran by itself.
@MainActor struct ReportText {
  let session: Session
  let device: Device

  /// The lines of a report, given what the person was told of that peer before; none where
  /// nothing is new.
  func lines(_ report: PeerReport, after before: Device.ToldPeer) -> [String] {
    var lines: [String] = []
    if report.isWorthTelling, !isRepeated(report, before) { lines.append(line(report)) }
    // A cycle that failed has not looked at the zone.
    guard report.error == nil else { return lines }
    for sentence in report.waitingFor where !before.waitingFor.contains(sentence) {
      lines.append(head + session.style.warning(own(sentence, report)))
    }
    if !before.waitingFor.isEmpty, report.waitingFor.isEmpty {
      lines.append(head + own("what was waited for has arrived", report))
    }
    for sentence in report.notices where !before.notices.contains(sentence) {
      lines.append(head + own(sentence, report))
    }
    return lines
  }

  private var head: String {
    session.style.faint("· \(session.moment(session.clock.milliseconds)) ")
  }

  /// Sentences may hold names of files that others chose.
  private func own(_ sentence: String, _ report: PeerReport) -> String {
    ControlCharacters.visible("\(device.name)\(with(report)): \(sentence)")
  }

  /// The peer, where there are several to tell apart.
  private func with(_ report: PeerReport) -> String {
    session.peers.count > 1 ? " with \(report.peer)" : ""
  }

  /// The same failure again and again is told once; the prompt shows that it lasts.
  private func isRepeated(_ report: PeerReport, _ before: Device.ToldPeer) -> Bool {
    guard let code = report.error?.codeName, report.imported + report.exported == 0 else {
      return false
    }
    return code == before.error
  }

  private func line(_ report: PeerReport) -> String {
    if let error = report.error {
      return head + session.style.error(own(error.description, report))
    }
    var parts: [String] = []
    if let purge = report.purge { parts.append(SwitchText.sentence(purge)) }
    if report.imported > 0 { parts.append("imported \(Wording.count(report.imported, "change"))") }
    if report.exported > 0 {
      let count = Wording.count(report.exported, "change")
      parts.append(report.isPublished ? "put \(count) in the folder" : "exported \(count)")
    }
    if report.conflicts > 0 {
      parts.append("\(Wording.count(report.conflicts, "value")) lost (see conflicts)")
    }
    if report.heldDeletes > 0 {
      parts.append("held \(Wording.count(report.heldDeletes, "delete")) (see deletes)")
    }
    if report.setAside > 0 { parts.append("\(Wording.count(report.setAside, "record")) set aside") }
    return head + own(parts.joined(separator: ", "), report)
  }
}
