import StrandlineModels
import StrandlineTesting
import StrandlineTransport
import Testing

/// A rule that no transport can break says nothing, so each is given one that does.
@Suite struct BrokenTransportTests {
  private let patience = Duration.milliseconds(200)

  @Test(arguments: Defect.all)
  func `a broken transport is caught by the rule for it`(_ defect: Defect) async throws {
    let rule = try #require(
      TransportContract.rules.first { $0.id == defect.rule }, "no rule '\(defect.rule)'")

    let verdict = await rule.verdict(
      on: AlteredSubject(alter: defect.alter), patience: patience)

    guard case .broken(let violation) = verdict else {
      Issue.record("'\(defect)' gave \(verdict)")
      return
    }
    #expect(violation.rule.id == rule.id)
    #expect(violation.message.hasPrefix("Could not find the contract kept, "))
    #expect(violation.advice.contains(rule.sentence) && violation.advice.contains(rule.loss))
  }

  @Test func `a place that shows one account's zones to another is caught`() async throws {
    struct Leak: TransportSubject {
      func makePlace(_ request: PlaceRequest) async throws -> any TransportPlace {
        LeakyPlace(inner: try await MemorySubject().makePlace(request))
      }
    }
    struct LeakyPlace: TransportPlace {
      let inner: any TransportPlace
      var abilities: PlaceAbilities {
        var abilities = inner.abilities
        abilities.signIn = .available { _, _ in }
        return abilities
      }
      func connect(_ device: Int) async throws -> any Transport { try await inner.connect(device) }
      func close() async { await inner.close() }
    }

    let rules = TransportContract.rules.filter { $0.topic == "accounts" }
    let report = await TransportContract.report(on: Leak(), rules: rules)

    #expect(
      report.violations.map(\.rule.sentence).contains("another account sees nothing of the first"))
  }

  @Test func `no rule is kept by a transport that does nothing`() async {
    let silence = TransportError(
      .unreachable, "Could not reach anybody.", remedy: .retry(afterMilliseconds: nil))
    let dead = AlteredSubject { transport in
      transport.specification = "dead\(UInt64.random(in: .min ... .max))"
      transport.onAccount = { () async throws(TransportError) in throw silence }
      transport.onOpen = { _ async throws(TransportError) in throw silence }
      transport.onSend = { _ async throws(TransportError) in throw silence }
      transport.onFetch = { _ async throws(TransportError) in throw silence }
      transport.onReceipt = { _ async throws(TransportError) in throw silence }
      transport.onPurge = { _ async throws(TransportError) in throw silence }
    }

    for rule in TransportContract.rules {
      let verdict = await rule.verdict(on: dead, patience: patience)
      if case .kept = verdict { Issue.record("kept: \(rule)") }
    }
  }

  @Test func `few rules are kept by a transport that swallows everything`() async {
    let accepting = AlteredSubject { transport in
      let inner = transport.inner
      transport.onSend = { page async throws(TransportError) in
        let zone = try await inner.open(
          OpenRequest(
            device: page.device, zoneName: "swallowed", environment: .development, expected: nil,
            schema: [:], proof: nil))
        return SendAnswer(
          acceptance: page.isLast
            ? Acceptance(sequence: page.group.sequence, position: 1, proof: zone.proof) : nil)
      }
    }
    let topics: Set = ["sending", "staging", "facts", "values", "fetching", "engine"]
    let rules = TransportContract.rules.filter { topics.contains($0.topic) }

    let report = await TransportContract.report(on: accepting, rules: rules)

    let kept = rules.count - report.violations.count
    #expect(kept <= 8, "\(report)")
  }
}
