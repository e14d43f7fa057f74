import Strandline

extension Session {
  /// Whether results are JSON objects, one a line.
  var isJSON: Bool { options.isJSON }

  /// Shows a result: an object for programs, or text for people.
  func show(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
    if isJSON { streams.writeLine(json().text) } else { streams.writeLine(text()) }
  }

  /// Shows that something was done, which is not data.
  func say(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
    if isJSON {
      streams.writeLine(json().text)
    } else if streams.outputIsTerminal || options.echoes {
      streams.writeLine(text())
    } else {
      streams.note(text())
    }
  }

  /// Shows rows in the session's mode, or as the JSON objects that programs rely on.
  func show(_ table: ResultTable, json: () -> [JSONValue], whenEmpty: String) {
    if isJSON {
      for row in json() { streams.writeLine(row.text) }
    } else if table.rows.isEmpty && mode == .table {
      say(.null, whenEmpty)
    } else {
      streams.write(table.text(mode, width: streams.columns, style: style))
    }
  }

  /// Asks before something that loses or changes more than one thing; the default is no.
  ///
  /// - Throws: `confirmationNeeded` where nobody can be asked.
  func confirm(_ consequence: String) async throws -> Bool {
    if options.saysYes { return true }
    guard let ask else {
      throw CommandError(
        "confirmationNeeded", consequence + " This has to be confirmed.",
        advice: "Run it with --yes to confirm.")
    }
    if await ask(consequence + " Go on?") { return true }
    streams.note("Nothing was changed.")
    return false
  }

  /// A moment for people: the time of day today, the date as well on other days.
  func moment(_ milliseconds: Int64) -> String {
    let offset = Timestamp.localSecondsFromUTC(at: milliseconds)
    let now = clock.milliseconds
    let isToday = (milliseconds / 1000 + offset) / 86_400 == (now / 1000 + offset) / 86_400
    let time = Timestamp.clock(milliseconds, secondsFromUTC: offset)
    return isToday ? time : Timestamp.text(milliseconds + offset * 1000).prefix(10) + " " + time
  }

  /// How long ago a moment was.
  func ago(_ milliseconds: Int64) -> String {
    RelativeTime.text(milliseconds, now: clock.milliseconds)
  }
}
