import StrandlineModels
import StrandlineStatus

/// The page of a bundle: it needs no scripts and no network, and follows light and dark.
struct BundlePage {
  let facts: BundleFacts

  /// As many events as a person reads; the others are in `events.json`.
  private static let listedEvents = 200

  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Support bundle of \(HTML.escape(facts.deviceName))</title>
    <style>\(PageStyle.css)</style>
    </head>
    <body>
    <header>
    <h1>Support bundle of \(HTML.escape(facts.deviceName))</h1>
    <p>Made at \(HTML.time(facts.time)). No record contents are in it.</p>
    </header>
    <main>
    \(sections.joined(separator: "\n"))
    </main>
    </body>
    </html>

    """
  }

  private var sections: [String] {
    [
      unread, section("Status", status), section("Timeline", EventTimeline(facts: facts).html),
      section("Other devices", devices), section("Checkup", checkup),
      section("Latest activities", events), section("Counts", counts),
      section("Versions", HTML.list(facts.versions)),
      section("Configuration", facts.configuration.map(HTML.list) ?? "<p>There is none.</p>"),
    ]
  }

  private func section(_ title: String, _ body: String) -> String {
    body.isEmpty ? "" : "<section>\n<h2>\(title)</h2>\n\(body)\n</section>"
  }

  private var unread: String {
    guard !facts.unread.isEmpty else { return "" }
    let rows = facts.unread.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
    return section(
      "What could not be read", HTML.table(["part", "code"], rows))
  }

  // MARK: Status

  private var status: String { facts.snapshots.map(card).joined(separator: "\n") }

  private func card(_ snapshot: StatusSnapshot) -> String {
    let wording = Wording()
    let key = Wording.key(snapshot.standing)
    let standing = wording.standing(snapshot) { Timestamp.text($0) }
    var rows = [
      ["now", wording.phase(snapshot)], ["pending", "\(snapshot.pending)"],
      ["set aside", "\(snapshot.setAside)"], ["conflicts", "\(snapshot.conflicts)"],
      ["orphans", "\(snapshot.orphans)"], ["parked", "\(snapshot.parked)"],
      ["held deletes", "\(snapshot.heldDeletes)"],
      ["switch", wording.syncSwitch(snapshot)],
      ["last activity", lastActivity(snapshot)],
    ]
    rows += snapshot.activities.map { activity in
      let outcome = Wording.Key(activity.outcome).sentence
      let error = [activity.errorCode, activity.errorMessage].compactMap(\.self)
      let last = activity.lastSuccess.map { "last success \(Timestamp.text($0))" }
      let words = ["\(outcome.symbol) \(outcome.plain)"] + error + [last].compactMap(\.self)
      return [activity.kind.rawValue, words.joined(separator: "; ")]
    }
    return """
      <article class="\(key.sentence.color)">
      <h3>\(HTML.escape(snapshot.peer))</h3>
      <p class="standing"><span aria-hidden="true">\(key.sentence.symbol)</span> \
      \(HTML.escape(standing))</p>
      \(HTML.table(nil, rows))
      </article>
      """
  }

  private func lastActivity(_ snapshot: StatusSnapshot) -> String {
    snapshot.lastSuccessfulActivity.map { RelativeTime.text($0, now: facts.time) }
      ?? Wording().text(.gateNotObserved)
  }

  // MARK: Lists

  private var devices: String {
    var latest: [String: BundleFacts.Report] = [:]
    for report in facts.reports {
      let key = report.device + "\n" + report.peer
      if let known = latest[key], known.time >= report.time { continue }
      latest[key] = report
    }
    guard !latest.isEmpty else { return "<p>None was heard from.</p>" }
    let rows = latest.values.sorted { ($0.device, $0.peer) < ($1.device, $1.peer) }.map {
      [
        $0.device, $0.peer, Timestamp.text($0.time),
        RelativeTime.text($0.time, now: facts.time),
      ]
    }
    return HTML.table(["device", "through", "last report", ""], rows)
  }

  private var checkup: String {
    let signs = ["ok": "✓ ok", "warning": "! warning", "problem": "✗ problem"]
    return HTML.table(
      ["check", "level", "what", "to do"],
      facts.findings.map { [$0.name, signs[$0.level] ?? $0.level, $0.message, $0.cure] })
  }

  private var events: String {
    guard !facts.events.isEmpty else { return "<p>There is none yet.</p>" }
    let rows = facts.events.suffix(Self.listedEvents).reversed().map { event -> [String] in
      let outcome = Wording.Key(event.outcome).sentence
      let name = Wording.Key(activity: event.kind).map { Wording().text($0) } ?? event.kind
      let sentence = event.code.flatMap { Wording.error(code: $0) }
      let what = [event.detail, event.code, sentence?.message].compactMap(\.self)
      return [
        Timestamp.text(event.start), name, event.peer, "\(outcome.symbol) \(outcome.plain)",
        event.records > 0 ? "\(event.records)" : "", what.joined(separator: "; "),
      ]
    }
    let more = facts.events.count - rows.count
    let note = more > 0 ? "<p>events.json has \(more) older ones.</p>" : ""
    return HTML.table(["at", "activity", "peer", "outcome", "records", "what"], rows) + note
  }

  private var counts: String { HTML.list(facts.counts) }
}
