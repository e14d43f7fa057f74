import Strandline

extension Session {
  /// Whether results are JSON objects, one a line.
  var isJSON: Bool { options.isJSON }

  /// Shows a result: an object for programs, or text for people.
  func show(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
    show(objects: [json()], text: text())
  }

  /// Shows results: objects for programs and for the modes that have them, or text for people.
  func show(objects: @autoclosure () -> [JSONValue], text: @autoclosure () -> String) {
    if isJSON {
      for object in objects() { streams.writeLine(object.text) }
      return
    }
    switch mode {
    case .table: streams.writeLine(text())
    case .json: streams.writeLine("[" + objects().map(\.text).joined(separator: ",\n ") + "]")
    case .jsonl: for object in objects() { streams.writeLine(object.text) }
    case .line, .csv, .markdown:
      streams.write(FlatObjects.table(objects()).text(mode, style: style))
    }
  }

  /// Shows that something was done, which is not data.
  func say(_ json: @autoclosure () -> JSONValue, _ text: @autoclosure () -> String) {
    if isJSON {
      streams.writeLine(json().text)
    } else if (streams.outputIsTerminal || options.echoes) && !streams.isRedirected {
      streams.writeLine(Wrapping.fold(text(), columns: streams.columns))
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

  /// How many rows of a list are shown.
  enum RowLimit: Equatable {
    /// So many as a terminal can be asked to show, and all elsewhere.
    case byStream
    case first(Int)
    case all
  }

  /// The most rows that a list without a limit shows now; nil for all.
  var rowsShown: Int? {
    guard !isJSON, mode == .table || mode == .line else { return nil }
    switch rowLimit {
    case .byStream: return streams.columns == nil ? nil : OutputCommands.rowsAtTerminal
    case .first(let count): return count
    case .all: return nil
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
