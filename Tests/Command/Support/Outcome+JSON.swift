import StrandlineModels
import StrandlineTestSupport

extension Outcome {
  /// The lines of standard output that hold something.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The JSON objects of standard output, one a line.
  func objects() throws -> [JSONValue] {
    try lines.map { try JSONValue(parsing: $0) }
  }

  /// The JSON objects of standard error, one a line.
  func errorObjects() throws -> [JSONValue] {
    try error.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
  }
}
