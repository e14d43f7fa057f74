import Foundation
package import StrandlineModels

/// One row of a file that is imported or exported.
package struct ImportRow: Equatable, Sendable {
  /// One value and its name in the file.
  package struct Field: Equatable, Sendable {
    /// The name: a column of a CSV file, a member of a JSON object.
    package let name: String
    /// The value; those of a CSV file are strings, or null where nothing stands.
    package let value: JSONValue

    /// Makes a field.
    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The line of the file where the row begins, from 1.
  package let line: Int
  /// The fields in the order of the file.
  package let fields: [Field]

  /// Makes a row.
  package init(line: Int, fields: [Field]) {
    self.line = line
    self.fields = fields
  }

  /// The value of that name, if the row has one.
  package subscript(name: String) -> JSONValue? {
    fields.first { $0.name == name }?.value
  }
}

/// What was read from a file.
package struct ImportContents: Equatable, Sendable {
  /// The rows that are whole.
  package var rows: [ImportRow] = []
  /// How the file holds them.
  package var format = TableFormat.csv
  /// What is wrong with the others, in the order of the file; no more than a hundred.
  package var problems: [ImportError] = []
  /// How many rows are not whole.
  package var problemCount = 0

  private static let problemsLimit = 100

  /// Notes a row that is not whole.
  mutating func add(_ problem: ImportError) {
    problemCount += 1
    if problems.count < Self.problemsLimit { problems.append(problem) }
  }
}

/// How a file holds its rows.
package enum TableFormat: String, CaseIterable, Sendable {
  /// Comma-separated values with the names in the first line.
  case csv
  /// A JSON array of objects, or an object whose only member is one.
  case json
  /// One JSON object a line.
  case jsonl

  /// The format that a file's name stands for, if it stands for one.
  package init?(extensionOf path: String) {
    switch (path as NSString).pathExtension.lowercased() {
    case "csv", "tsv", "tab": self = .csv
    case "json": self = .json
    case "jsonl", "ndjson": self = .jsonl
    default: return nil
    }
  }

  /// Whether a file's name says that tabs separate its values.
  static func isTabbed(_ path: String) -> Bool {
    ["tsv", "tab"].contains((path as NSString).pathExtension.lowercased())
  }
}

/// Why a file, or one row of it, cannot be read or written.
package struct ImportError: ExplainedError, Equatable {
  /// The stable name.
  package let codeName: String
  /// The file.
  package let file: String
  /// The line, from 1, if the error has one.
  package let line: Int?
  /// The column in characters, from 1, if the error has one.
  package let column: Int?
  /// What is wrong, without a full stop.
  package let reason: String
  /// What to do.
  package let advice: String
  private let verb: String

  /// Makes an error.
  package init(
    _ codeName: String, file: String, line: Int? = nil, column: Int? = nil, reason: String,
    advice: String, verb: String = "read"
  ) {
    self.codeName = codeName
    self.file = file
    self.line = line
    self.column = column
    self.reason = reason
    self.advice = advice
    self.verb = verb
  }

  /// Where and what.
  package var message: String {
    let place = [line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap(\.self)
    let file = "'\(file)'" + (place.isEmpty ? "" : " at " + place.joined(separator: ", "))
    return "Could not \(verb) \(file), \(reason)."
  }
}
