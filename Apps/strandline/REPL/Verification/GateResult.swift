import StrandlineModels

/// What came of one gate.
struct GateResult: Sendable {
  /// How a gate ended.
  enum Outcome: Sendable {
    /// What it asks for was observed.
    case passed(String)
    /// It was not; with the reason.
    case failed(GateFailure)
    /// The transport has nothing that it could ask for; with the reason.
    case notApplicable(String)
    /// A gate that it builds on had failed; with that one's title.
    case notRun(String)
  }

  /// The stable name.
  let name: String
  /// What people read.
  let title: String
  let outcome: Outcome
  /// How long it took.
  let milliseconds: Int64

  var failure: GateFailure? { if case .failed(let failure) = outcome { failure } else { nil } }
  var isPassed: Bool { if case .passed = outcome { true } else { false } }
  var isNotApplicable: Bool { if case .notApplicable = outcome { true } else { false } }
  var isNotRun: Bool { if case .notRun = outcome { true } else { false } }

  /// The gate as text: a line, and for one that failed what happened and what to do.
  func text(_ style: Style) -> String {
    let time = "… \(milliseconds) ms"
    switch outcome {
    case .passed(let detail):
      let rest = detail.isEmpty ? "" : "  " + style.faint(ControlCharacters.visible(detail))
      return style.success("✓") + " \(title) \(time)" + rest
    case .failed(let failure):
      let lines = [failure.message, failure.advice].filter { !$0.isEmpty }
      return style.error("✗ \(title)") + " \(time)"
        + lines.map { "\n    " + ControlCharacters.visible($0) }.joined()
    case .notApplicable(let reason):
      return style.faint("–") + " \(title): not applicable, \(ControlCharacters.visible(reason))"
    case .notRun(let other):
      return style.warning("–") + " \(title): not run, since '\(other)' failed"
    }
  }

  /// The gate as an object for programs.
  var json: JSONValue {
    let (word, passed, detail): (String, JSONValue, String) =
      switch outcome {
      case .passed(let detail): ("passed", .bool(true), detail)
      case .failed(let failure): ("failed", .bool(false), failure.message)
      case .notApplicable(let reason): ("notApplicable", .null, reason)
      case .notRun(let other): ("notRun", .null, "'\(other)' failed")
      }
    return .object([
      "gate": .object([
        "name": .string(name), "title": .string(title), "passed": passed,
        "outcome": .string(word), "milliseconds": .integer(milliseconds),
        "detail": .string(detail),
        "error": failure.map {
          .object(["code": .string($0.codeName), "recovery": .string($0.advice)])
        } ?? .null,
      ])
    ])
  }
}

/// One thing that has to be observed before a release.
struct Gate: Sendable {
  /// What was observed of a gate that did not fail.
  enum Finding: Sendable {
    case passed(String)
    case notApplicable(String)
  }

  let name: String
  let title: String
  /// Whether the gates after it mean nothing where it fails.
  var isBasis = false
  let run: @MainActor @Sendable (Verification) async throws -> Finding
}
