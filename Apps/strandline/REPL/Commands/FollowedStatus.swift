import Strandline

/// A status that is shown again whenever it changes.
///
/// On a terminal it is drawn in place of what it drew before. Elsewhere each change is a line, so
/// that a log of it can be read.
@MainActor struct FollowedStatus {
  let session: Session
  private var rows = 0
  private var lines: [String: String] = [:]

  init(session: Session) {
    self.session = session
  }

  mutating func show(_ snapshots: [StatusSnapshot]) {
    if session.isJSON {
      for snapshot in snapshots { session.show(.object(["status": snapshot.json]), "") }
    } else if let columns = session.streams.columns {
      draw(snapshots, columns)
    } else {
      for snapshot in snapshots { tell(snapshot) }
    }
  }

  /// Goes back up over what was drawn, and clears from there.
  private mutating func draw(_ snapshots: [StatusSnapshot], _ columns: Int) {
    let back = rows > 0 ? "\u{1B}[\(rows)A\r\u{1B}[J" : ""
    let shown = snapshots.map { StatusText(session).text($0) + "\n" }.joined()
    session.streams.write(back + shown)
    let plain = snapshots.map { StatusText(session, style: .plain).text($0) }
    rows = plain.flatMap { $0.split(separator: "\n") }.reduce(0) { sum, line in
      sum + max(1, (DisplayWidth.of(String(line)) + columns - 1) / max(1, columns))
    }
  }

  /// One line for a peer, unless it would be the same as before.
  private mutating func tell(_ snapshot: StatusSnapshot) {
    let wording = Wording()
    let standing = wording.standing(snapshot, time: session.moment)
    let failed = snapshot.failures.map { "\($0.kind.rawValue) did not succeed" }
    let words = [wording.phase(snapshot) + "."] + failed.map { $0 + "." }
    let text =
      "\(Wording.symbol(snapshot.standing)) \(snapshot.peer): "
      + ControlCharacters.visible(([standing] + words).joined(separator: " "))
    guard lines[snapshot.peer] != text else { return }
    lines[snapshot.peer] = text
    session.streams.writeLine("\(session.moment(session.clock.milliseconds)) \(text)")
  }
}
