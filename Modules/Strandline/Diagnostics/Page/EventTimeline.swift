import StrandlineModels
import StrandlineStatus

/// A picture of when what was done with each peer, and when other devices were heard from.
///
/// How an activity went is told by the form of its mark as well as by its colour, and each mark has
/// a title.
struct EventTimeline {
  let facts: BundleFacts

  /// More marks than these cannot be told apart.
  private static let markLimit = 600
  private static let left = 250
  private static let width = 960
  private static let laneHeight = 26
  private static let top = 34

  private struct Mark {
    let start: Int64
    let end: Int64
    let outcome: StatusSnapshot.Activity.Outcome?
    let title: String
  }

  private struct Lane {
    let name: String
    let marks: [Mark]
  }

  var html: String {
    let lanes = lanes
    let times = lanes.flatMap(\.marks).flatMap { [$0.start, $0.end] }
    guard let first = times.min(), let last = times.max() else {
      return "<p>Nothing was recorded yet.</p>"
    }
    let height = Self.top + lanes.count * Self.laneHeight + 10
    let rows = lanes.enumerated().map { draw($1, $0, first, last) }
    return """
      <svg viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="tl-title tl-desc" \
      xmlns="http://www.w3.org/2000/svg">
      <title id="tl-title">Activities over time</title>
      <desc id="tl-desc">\(HTML.escape(description(lanes, first, last)))</desc>
      \(axis(first, last, height))
      \(rows.joined(separator: "\n"))
      </svg>
      <p>▮ succeeded, ▲ did not succeed, ○ interrupted, ◆ running, ● report of another device. \
      The same is in the table of activities below.</p>
      """
  }

  private func description(_ lanes: [Lane], _ first: Int64, _ last: Int64) -> String {
    let failed = facts.events.suffix(Self.markLimit).count { $0.outcome == .failed }
    return "From \(Timestamp.text(first)) to \(Timestamp.text(last)), one row for each: "
      + lanes.map(\.name).joined(separator: ", ") + ". "
      + "\(Wording.count(failed, "activity", plural: "activities")) did not succeed."
  }

  // MARK: Lanes

  private var lanes: [Lane] {
    var marks: [String: [Mark]] = [:]
    for event in facts.events.suffix(Self.markLimit) {
      let name = event.peer == "none" ? "this store" : "\(event.kind) with \(event.peer)"
      let words = Wording().text(.init(event.outcome))
      let title = [
        event.kind, Timestamp.text(event.start), words, event.code,
        event.records > 0 ? Wording.count(event.records, "record") : nil,
      ].compactMap(\.self).joined(separator: ", ")
      marks[name, default: []].append(
        Mark(
          start: event.start, end: max(event.end ?? event.start, event.start),
          outcome: event.outcome, title: title))
    }
    for report in facts.reports.prefix(Self.markLimit) {
      marks["reports of \(report.device)", default: []].append(
        Mark(
          start: report.time, end: report.time, outcome: nil,
          title: "report of \(report.device), \(Timestamp.text(report.time))"))
    }
    return marks.sorted { $0.key < $1.key }.map { Lane(name: $0.key, marks: $0.value) }
  }

  // MARK: Drawing

  private func axis(_ first: Int64, _ last: Int64, _ height: Int) -> String {
    let end = Self.width - 10
    let texts = [
      "<text class=\"faint\" x=\"\(Self.left)\" y=\"16\">\(Timestamp.text(first))</text>",
      "<text class=\"faint\" x=\"\(end)\" y=\"16\" text-anchor=\"end\">"
        + "\(Timestamp.text(last))</text>",
    ]
    let lines = [Self.left, (Self.left + end) / 2, end].map {
      "<line class=\"axis\" x1=\"\($0)\" y1=\"24\" x2=\"\($0)\" y2=\"\(height)\"/>"
    }
    return (texts + lines).joined(separator: "\n")
  }

  private func draw(_ lane: Lane, _ index: Int, _ first: Int64, _ last: Int64) -> String {
    let middle = Self.top + index * Self.laneHeight + Self.laneHeight / 2
    let name = lane.name.count > 38 ? lane.name.prefix(37) + "…" : lane.name[...]
    let label = "<text x=\"4\" y=\"\(middle + 4)\">\(HTML.escape(String(name)))</text>"
    let marks = lane.marks.map { draw($0, middle, first, last) }
    return ([label] + marks).joined(separator: "\n")
  }

  private func draw(_ mark: Mark, _ middle: Int, _ first: Int64, _ last: Int64) -> String {
    let (x, end) = (place(mark.start, first, last), place(mark.end, first, last))
    let title = "<title>\(HTML.escape(mark.title))</title>"
    let (up, down) = (middle - 7, middle + 7)
    return switch mark.outcome {
    case .failed:
      "<path class=\"failed\" d=\"M\(x - 6) \(down)L\(x + 6) \(down)L\(x) \(up)Z\">\(title)</path>"
    case .interrupted, .notObserved:
      "<circle class=\"interrupted\" cx=\"\(x)\" cy=\"\(middle)\" r=\"5\">\(title)</circle>"
    case .running:
      "<path class=\"running\" d=\"M\(x) \(up)L\(x + 6) \(middle)L\(x) \(down)"
        + "L\(x - 6) \(middle)Z\">\(title)</path>"
    case .succeeded, .settled:
      "<rect class=\"succeeded\" x=\"\(x)\" y=\"\(up)\" width=\"\(max(3, end - x))\" "
        + "height=\"14\">\(title)</rect>"
    case nil:
      "<circle class=\"report\" cx=\"\(x)\" cy=\"\(middle)\" r=\"5\">\(title)</circle>"
    }
  }

  /// Times may be anything that a device or a damaged row says, so that they are not subtracted as
  /// integers.
  private func place(_ time: Int64, _ first: Int64, _ last: Int64) -> Int {
    let share = (Double(time) - Double(first)) / max(1, Double(last) - Double(first))
    return Self.left + Int(share * Double(Self.width - 10 - Self.left))
  }
}
