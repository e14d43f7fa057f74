import Foundation
import StrandlineModels

/// Writes rows into a file in any of the formats.
package enum ExportWriter {
  /// The rows as the text of a file.
  ///
  /// A CSV file names every field that any row has, in the order in which they first appear; a
  /// row without one, or with null, has nothing there, and empty text is quoted. Spreadsheet-safe text cannot be taken for a formula.
  package static func text(
    _ rows: [ImportRow], format: TableFormat, delimiter: Character = ",",
    isSpreadsheetSafe: Bool = false
  ) -> String {
    switch format {
    case .json:
      return rows.isEmpty
        ? "[]\n" : "[\n" + rows.map { object($0).text }.joined(separator: ",\n") + "\n]\n"
    case .jsonl: return rows.map { object($0).text + "\n" }.joined()
    case .csv:
      let names = columns(rows)
      let lines = rows.map { row in
        names.map { row[$0].flatMap(ResultTable.cell) }
      }
      return ([names] + lines).map { (fields: [String?]) in
        CSVText.row(fields, delimiter: delimiter, isSpreadsheetSafe: isSpreadsheetSafe)
      }.joined()
    }
  }

  /// Writes the rows; the file appears whole or not at all.
  ///
  /// It blocks while it writes. The format is told by the name; one with another extension than
  /// the formats have is refused.
  package static func write(
    _ rows: [ImportRow], to path: String, format: TableFormat? = nil,
    delimiter: Character? = nil, isSpreadsheetSafe: Bool = false
  ) throws(ImportError) {
    guard let format = format ?? TableFormat(extensionOf: path) else {
      throw ImportError(
        "unknownFormat", file: path, reason: "its name does not tell the format",
        advice: "End it with .csv, .json or .jsonl.", verb: "write")
    }
    let text = text(
      rows, format: format, delimiter: delimiter ?? (TableFormat.isTabbed(path) ? "\t" : ","),
      isSpreadsheetSafe: isSpreadsheetSafe)
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw ImportError(
        "cannotWrite", file: path, reason: reason(of: error),
        advice: "Check the folder and its permissions.", verb: "write")
    }
  }

  private static func reason(of error: any Error) -> String {
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
    if let underlying, underlying.domain == NSPOSIXErrorDomain {
      return SystemReason.text(Int32(clamping: underlying.code))
    }
    return "the file system refused it"
  }

  private static func object(_ row: ImportRow) -> JSONValue {
    .object(row.fields.map { JSONValue.Member($0.name, $0.value) })
  }

  private static func columns(_ rows: [ImportRow]) -> [String] {
    var seen: Set<String> = []
    return rows.flatMap(\.fields).map(\.name).filter { seen.insert($0).inserted }
  }
}
