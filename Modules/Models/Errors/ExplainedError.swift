/// The shape that all errors of Strandline share: what failed, why, and what to do now.
public protocol ExplainedError: Error, Sendable, CustomStringConvertible {
  /// A stable name for programs, such as `unknownEntity`.
  var codeName: String { get }
  /// One sentence: what could not be done, to what, and why.
  var message: String { get }
  /// What to do now, as sentences of their own; empty where nothing can be done.
  var advice: String { get }
  /// Facts for diagnostics; never the contents of records.
  var context: [String: String] { get }
  /// The error underneath, if there is one.
  var cause: (any Error)? { get }
}

extension ExplainedError {
  /// No facts unless a type has some.
  public var context: [String: String] { [:] }

  /// No cause unless a type has one.
  public var cause: (any Error)? { nil }

  /// The message, and the advice after it.
  public var description: String {
    advice.isEmpty ? message : message + " " + advice
  }

  /// A tree of this error and its causes with their context, for diagnostics.
  public var detailedDescription: String {
    var lines = ["\(codeName): \(description)"]
    for (key, value) in context.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(key)=\(value)")
    }
    if let explained = cause as? any ExplainedError {
      lines += explained.detailedDescription.split(separator: "\n").map { "  " + $0 }
    } else if let cause {
      lines.append("  \(cause)")
    }
    return lines.joined(separator: "\n")
  }
}
