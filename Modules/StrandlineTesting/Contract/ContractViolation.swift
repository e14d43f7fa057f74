public import Strandline

/// That a transport breaks a rule: what it did, what it had to do, and what is lost by that.
public struct ContractViolation: ExplainedError {
  /// The rule.
  public let rule: ContractRule
  /// What the transport did.
  public let did: String

  /// The stable name.
  public var codeName: String { "contractBroken" }
  /// What the transport did.
  public var message: String { "Could not find the contract kept, \(did)." }
  /// What it had to do, and why.
  public var advice: String {
    "It has to hold that \(rule.sentence); otherwise \(rule.loss)."
  }
  /// The rule's topic.
  public var context: [String: String] { ["topic": rule.topic] }
}

/// What a transport did against the rule that is being checked.
struct ContractBreach: Error {
  let did: String

  init(_ did: String) {
    self.did = did
  }
}

/// That the place of a check cannot do what the rule needs.
struct MissingAbility: Error {
  let reason: String
}

/// Breaks the rule unless something holds.
func require(_ holds: Bool, _ did: @autoclosure () -> String) throws {
  if !holds { throw ContractBreach(did()) }
}

/// Breaks the rule where something is missing.
func require<Wrapped>(_ value: Wrapped?, _ did: @autoclosure () -> String) throws -> Wrapped {
  guard let value else { throw ContractBreach(did()) }
  return value
}

/// The error of a call that has to fail; an answer breaks the rule.
func failure(
  _ call: String, _ body: () async throws -> Void
) async throws -> TransportError {
  do {
    try await body()
  } catch let error as TransportError {
    return error
  }
  throw ContractBreach("it answered \(call)")
}

/// The error of a call that may fail, nil where it was answered.
func outcome(_ body: () async throws -> Void) async throws -> TransportError? {
  do {
    try await body()
    return nil
  } catch let error as TransportError {
    return error
  }
}
