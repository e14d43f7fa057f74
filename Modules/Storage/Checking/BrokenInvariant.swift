/// Something in a store that no writer, import or migration may leave behind.
package struct BrokenInvariant: Hashable, Sendable, CustomStringConvertible {
  /// Which rule does not hold.
  package enum Rule: String, Hashable, Sendable, CaseIterable {
    /// A record's row is there exactly while its shadow says that it lives.
    case lifeAndRow
    /// Stamps and lives of a shadow have a legal form.
    case shadowForm
    /// The clock is over every stamp that history has sealed.
    case clock
    /// No stamp of an open transaction is left for other clients.
    case ownStamp
    /// Transactions are ranges that follow one another and cover the log.
    case transactions
    /// Log rows are of a known kind and entity.
    case logForm
    /// Only what lives has fields that the model does not know.
    case unknownFields
    /// What is parked waits for a life that has a name.
    case parked
  }

  /// Which rule does not hold.
  package let rule: Rule
  /// One sentence: what was found.
  package let message: String

  /// The rule and what was found.
  package var description: String { "\(rule.rawValue): \(message)" }

  init(_ rule: Rule, _ message: String) {
    self.rule = rule
    self.message = message
  }
}
