import Strandline

/// The status with a peer as lines for people.
@MainActor struct StatusText {
  let session: Session
  /// The colours; none where the width of lines matters.
  let style: Style

  init(_ session: Session, style: Style? = nil) {
    self.session = session
    self.style = style ?? session.style
  }

  func text(_ snapshot: StatusSnapshot) -> String {
    let wording = StrandlineStatus.Wording()
    let sign = StrandlineStatus.Wording.symbol(snapshot.standing)
    let standing = ControlCharacters.visible(
      wording.standing(snapshot, time: session.moment))
    var lines = [
      style.heading("\(snapshot.device) with \(snapshot.peer)"),
      "  \(sign) " + colored(standing, snapshot.standing, style),
    ]
    func line(_ name: String, _ text: String) {
      lines.append("  " + style.name(DisplayWidth.pad(name, to: 16)) + text)
    }
    if let question = snapshot.question {
      let text = StrandlineStatus.Wording.question(question, time: session.moment)
      line("asks", ControlCharacters.visible(text))
    }
    if let cure = snapshot.cure, !cure.isEmpty { line("to do", ControlCharacters.visible(cure)) }
    line("now", wording.phase(snapshot) + phaseDetail(snapshot))
    for activity in snapshot.activities where activity.outcome != .succeeded {
      if let text = activityText(activity) { line(activity.kind.rawValue, text) }
    }
    line("pending", pendingText(snapshot))
    let isThere = snapshot.standing != .blocked && snapshot.lastSuccessfulActivity != nil
    if snapshot.isPublished, isThere {
      line("in the folder", folderText(snapshot))
    }
    // The standing says what is waited for, unless it has worse to say or there is too much.
    if snapshot.standing != .working || snapshot.waitingFor.count > 3 {
      for sentence in snapshot.waitingFor { line("lacks", ControlCharacters.visible(sentence)) }
    }
    for sentence in snapshot.notices { line("notice", ControlCharacters.visible(sentence)) }
    line("last activity", snapshot.lastSuccessfulActivity.map(session.ago) ?? "not observed yet")
    line("switch", wording.syncSwitch(snapshot))
    if let purge = snapshot.purge { line("purge", purgeText(purge)) }
    if snapshot.firstLaunch != .hasRecords {
      line("records", wording.text(StrandlineStatus.Wording.Key(snapshot.firstLaunch)))
    }
    if snapshot.conflicts > 0 { line("conflicts", "\(snapshot.conflicts) (see conflicts)") }
    if snapshot.setAside > 0 { line("set aside", "\(snapshot.setAside) (see setaside)") }
    if snapshot.heldDeletes > 0 {
      line("held", "\(Wording.count(snapshot.heldDeletes, "delete")) (see deletes)")
    }
    if snapshot.orphans > 0 {
      line(
        "orphans",
        "\(Wording.count(snapshot.orphans, "reference")) to records not here (see orphans)")
    }
    if snapshot.parked > 0 {
      line("parked", "\(Wording.count(snapshot.parked, "edit")) waiting for their record")
    }
    if let holder = snapshot.leaseHolder, !SyncLease.isThisProcess(holder) {
      line("synced by", holder)
    }
    return lines.joined(separator: "\n")
  }

  private func purgeText(_ purge: StatusSnapshot.Purge) -> String {
    let again = purge.until.map { "It is tried again after \(session.moment($0))." }
    return ControlCharacters.visible(
      [purge.reason ?? "It was not tried yet.", purge.cure, again].compactMap(\.self)
        .joined(separator: " "))
  }

  private func colored(
    _ text: String, _ standing: StatusSnapshot.Standing, _ style: Style
  ) -> String {
    switch standing {
    case .caughtUp: style.success(text)
    case .blocked: style.error(text)
    case .waiting, .settingUp, .working: style.warning(text)
    case .off: text
    }
  }

  /// What is put off has its reason in the standing; what failed tells it here.
  private func phaseDetail(_ snapshot: StatusSnapshot) -> String {
    guard case .failed(let message) = snapshot.phase, snapshot.deferral == nil else { return "" }
    return ": " + ControlCharacters.visible(message)
  }

  /// How the latest activity of a kind went, where that is no success and no news already.
  private func activityText(_ activity: StatusSnapshot.Activity) -> String? {
    let words = StrandlineStatus.Wording().text(.init(activity.outcome))
    switch activity.outcome {
    case .notObserved, .running, .succeeded, .settled: return nil
    case .interrupted: return words + (activity.start.map { ", begun \(session.ago($0))" } ?? "")
    case .failed:
      let last = activity.lastSuccess.map { "; last succeeded \(session.ago($0))" } ?? ""
      return words + (activity.end.map { " \(session.ago($0))" } ?? "") + last
    }
  }

  private func pendingText(_ snapshot: StatusSnapshot) -> String {
    guard snapshot.pending > 0 else { return "nothing" }
    let entities = snapshot.pendingByEntity.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let oldest = snapshot.oldestPending.map { ", the oldest from \(session.ago($0))" } ?? ""
    return "\(Wording.count(snapshot.pending, "change")) (\(entities))\(oldest)"
  }

  /// What is in a folder has not left this disk for all that is known, but for what is read.
  private func folderText(_ snapshot: StatusSnapshot) -> String {
    let receipts = snapshot.receipts
    guard receipts.hasSent else { return "nothing of this device yet" }
    let what = snapshot.pending == 0 ? "all changes of this device" : "all but what is pending"
    if receipts.devices == 0 { return "\(what); no other device has read there yet" }
    let devices = Wording.count(receipts.devices, "other device")
    return "\(what); all of it read by \(receipts.complete) of \(devices)"
  }
}
