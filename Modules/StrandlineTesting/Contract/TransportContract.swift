/// What every transport promises, as rules that each can be checked by itself.
///
/// The author of a transport runs all of them against it; the list is the same for every
/// transport. A test needs a subject that makes empty places, and these lines:
///
/// ```swift
/// @Test(arguments: TransportContract.rules)
/// func `my transport keeps the contract`(_ rule: ContractRule) async throws {
///   try await rule.check(MySubject())
/// }
/// ```
///
/// A rule that needs an ability which the subject lacks says so in the test's output, with the
/// subject's reason.
public enum TransportContract {
  /// All rules, by topic.
  public static let rules: [ContractRule] = [
    openingRules, sendingRules, stagingRules, refusalRules, factRules, valueRules, fetchingRules,
    cursorRules, conflictRules, receiptRules, acceptedGroupRules, proofRules, purgeRules,
    environmentRules, accountRules, hintRules, errorRules, concurrencyRules, engineRules,
  ].flatMap(\.self)

  /// Checks every rule, one after the other, and tells what was found.
  ///
  /// - Parameters:
  ///   - subject: Makes the places.
  ///   - rules: The rules to check.
  /// - Returns: Each rule with its verdict, in the order of the rules.
  public static func report(
    on subject: any TransportSubject, rules: [ContractRule] = rules
  ) async -> ContractReport {
    var findings: [ContractReport.Finding] = []
    for rule in rules {
      findings.append(
        ContractReport.Finding(rule: rule, verdict: await rule.verdict(on: subject)))
    }
    return ContractReport(findings: findings)
  }
}

/// What a check of several rules found.
public struct ContractReport: Sendable, CustomStringConvertible {
  /// One rule and what was found of it.
  public struct Finding: Sendable {
    /// The rule.
    public let rule: ContractRule
    /// What was found.
    public let verdict: ContractVerdict
  }

  /// Each rule that was checked, in order.
  public let findings: [Finding]

  /// The violations that were found.
  public var violations: [ContractViolation] {
    findings.compactMap { if case .broken(let violation) = $0.verdict { violation } else { nil } }
  }

  /// One line a rule: kept, broken and how, or not applicable and why.
  public var description: String {
    findings.map { finding in
      switch finding.verdict {
      case .kept: "kept            \(finding.rule)"
      case .notApplicable(let reason): "not applicable  \(finding.rule): \(reason)"
      case .broken(let violation): "broken          \(finding.rule): \(violation)"
      }
    }.joined(separator: "\n")
  }
}
