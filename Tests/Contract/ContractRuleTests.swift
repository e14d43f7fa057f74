import StrandlineModels
import StrandlineTesting
import StrandlineTransport
import Testing

@Suite struct ContractRuleTests {
  private func rule(_ id: String) throws -> ContractRule {
    try #require(TransportContract.rules.first { $0.id == id })
  }

  @Test func `there are many rules, and each has a sentence of its own`() {
    let rules = TransportContract.rules

    #expect(rules.count >= 80)
    #expect(Set(rules.map(\.id)).count == rules.count)
    for rule in rules {
      #expect(!rule.sentence.hasSuffix(".") && rule.sentence.first?.isLowercase == true)
      #expect(!rule.loss.isEmpty && !rule.loss.hasSuffix("."))
      #expect("\(rule)" == rule.id && rule.testDescription == rule.id)
    }
  }

  @Test func `a rule that needs what a place lacks is not applicable, for the place's reason`()
    async throws
  {
    let rule = try rule("accounts: another account sees nothing of the first")

    let verdict = await rule.verdict(on: DirectorySubject())

    guard case .notApplicable(let reason) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(reason == "a folder has no accounts")
  }

  @Test func `a rule that is not applicable warns in the test's output`() async throws {
    let rule = try rule("accounts: another account sees nothing of the first")

    try await withKnownIssue {
      try await rule.check(DirectorySubject())
    } matching: { issue in
      issue.severity == .warning
        && issue.comments.contains { $0.rawValue.contains("since a folder has no accounts") }
    }
  }

  @Test func `a subject that cannot make a place breaks the rule`() async throws {
    struct Homeless: TransportSubject {
      func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
        throw CancellationError()
      }
    }

    let verdict = await TransportContract.rules[0].verdict(on: Homeless())

    guard case .broken(let violation) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(violation.did.hasPrefix("the subject could not make a place"))
  }

  @Test func `a check that is broken throws what the transport did and why that matters`()
    async throws
  {
    let rule = try rule("purging: nothing is left to read after a purge")
    let forgetful = AlteredSubject { $0.onPurge = { _ async throws(TransportError) in } }

    let error = await #expect(throws: ContractViolation.self) { try await rule.check(forgetful) }

    #expect(
      error?.description
        == "Could not find the contract kept, it showed [\"a\", \"b\", \"c\"] after a purge. It "
        + "has to hold that nothing is left to read after a purge; otherwise records that a person "
        + "wanted gone are still there.")
  }

  @Test func `a report has a line for each rule`() async {
    let rules = TransportContract.rules.filter { $0.topic == "accounts" }

    let report = await TransportContract.report(on: DirectorySubject(), rules: rules)

    let lines = report.description.split(separator: "\n")
    #expect(lines.count == rules.count && report.violations.isEmpty)
    #expect(lines.allSatisfy { $0.hasPrefix("not applicable") })
  }

  @Test(arguments: [
    (TransportError.Code.unreachable, TransportError.Remedy.stop),
    (.throttled, .ask), (.cursorExpired, .retry(afterMilliseconds: nil)), (.zonePurged, .stop),
    (.tooLarge, .ask), (.clockSkew, .retry(afterMilliseconds: nil)), (.zoneNotFound, .compareAll),
    (.accountUnavailable, .stop), (.deviceRestored, .stop), (.schemaRefused, .split),
  ])
  func `an error that asks for what does not help breaks any rule`(
    code: TransportError.Code, remedy: TransportError.Remedy
  ) async throws {
    let rule = try rule(
      "errors: every error says what failed and why, and asks for what helps")
    let subject = AlteredSubject { transport in
      transport.onPurge = { _ async throws(TransportError) in
        throw TransportError(code, "Could not go on, a test says so.", remedy: remedy)
      }
    }

    // The rule asks for an error at this call, so only its remedy can be what is wrong.
    let verdict = await rule.verdict(on: subject)

    guard case .broken(let violation) = verdict else {
      Issue.record("\(verdict)")
      return
    }
    #expect(violation.did.contains("with the remedy"), "\(violation)")
  }
}
