import Strandline
public import Testing

/// One sentence of the transport contract, and how it is checked.
public struct ContractRule: Sendable, Identifiable {
  /// What the rule is about, such as `sending`.
  public let topic: String
  /// What holds for every transport, as a sentence.
  public let sentence: String
  /// What is lost where it does not hold.
  public let loss: String
  let body: @Sendable (ContractScene) async throws -> Void

  init(
    _ topic: String, _ sentence: String, otherwise loss: String,
    body: @escaping @Sendable (ContractScene) async throws -> Void
  ) {
    self.topic = topic
    self.sentence = sentence
    self.loss = loss
    self.body = body
  }

  /// The topic and the sentence, which no two rules share.
  public var id: String { "\(topic): \(sentence)" }

  /// Finds out whether the transports of a subject keep this rule, in a place of its own.
  ///
  /// - Parameters:
  ///   - subject: Makes the place.
  ///   - patience: How long to wait for what comes by itself, such as a hint.
  /// - Returns: Whether the rule is kept, broken, or not applicable.
  public func verdict(
    on subject: any TransportSubject, patience: Duration = .seconds(20)
  ) async -> ContractVerdict {
    let judge = ErrorJudge()
    let found: ContractVerdict
    do {
      let scene = try await ContractScene(subject, judge: judge, patience: patience)
      found = await verdict(in: scene)
      await scene.close()
    } catch {
      found = broken("the subject could not make a place: \(error)")
    }
    // An error that asks for the wrong thing is a fault in whatever rule it came up.
    if case .broken = found { return found }
    return judge.findings.first.map(broken) ?? found
  }

  private func verdict(in scene: ContractScene) async -> ContractVerdict {
    do {
      try await body(scene)
      return .kept
    } catch let missing as MissingAbility {
      return .notApplicable(missing.reason)
    } catch let breach as ContractBreach {
      return broken(breach.did)
    } catch let error as TransportError {
      return broken("it threw '\(error.codeName)' where an answer was due: \(error)")
    } catch {
      return broken("the check could not go on: \(error)")
    }
  }

  private func broken(_ did: String) -> ContractVerdict {
    .broken(ContractViolation(rule: self, did: did))
  }

  /// Checks the rule in a test: throws where it is broken, and warns where it is not applicable.
  ///
  /// - Parameters:
  ///   - subject: Makes the place.
  ///   - patience: How long to wait for what comes by itself, such as a hint.
  ///   - location: Where a warning is shown.
  /// - Throws: ``ContractViolation``.
  public func check(
    _ subject: any TransportSubject, patience: Duration = .seconds(20),
    location: SourceLocation = #_sourceLocation
  ) async throws {
    switch await verdict(on: subject, patience: patience) {
    case .kept: return
    case .broken(let violation): throw violation
    case .notApplicable(let reason):
      Issue.record(
        "Not applicable: \(self), since \(reason)", severity: .warning, sourceLocation: location)
    }
  }
}

extension ContractRule: CustomStringConvertible, CustomTestStringConvertible {
  /// The topic and the sentence.
  public var description: String { id }
  /// The topic and the sentence.
  public var testDescription: String { id }
}

/// What a check of one rule found.
public enum ContractVerdict: Sendable {
  /// The transport keeps the rule.
  case kept
  /// The rule needs what the place does not have, for the subject's reason.
  case notApplicable(String)
  /// The transport breaks the rule.
  case broken(ContractViolation)
}
