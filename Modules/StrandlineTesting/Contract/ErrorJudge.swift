import Strandline
import Synchronization

/// Judges every error and sentence of a transport during a check, whatever the check is about.
///
/// The engine acts on the remedy, and people read the sentences; an error that names the wrong
/// remedy stops a device for good, or lets it try for ever.
final class ErrorJudge: Sendable {
  private let found = Mutex<[String]>([])

  /// What was wrong with the errors so far.
  var findings: [String] { found.withLock { $0 } }

  /// Looks at an error.
  func judge(_ error: TransportError) {
    var problems: [String] = []
    let name = error.codeName
    if !Self.allows(error.remedy, for: error.code) {
      problems.append("it threw '\(name)' with the remedy \(error.remedy)")
    }
    if !error.message.hasPrefix("Could not ") || !error.message.hasSuffix(".") {
      problems.append(
        "its error '\(name)' does not read 'Could not …, reason.' but '\(error.message)'")
    }
    if error.remedy == .ask, error.advice.isEmpty {
      problems.append("its error '\(name)' asks the person and does not say what to do")
    }
    found.withLock { $0 += problems }
  }

  /// Looks at what a page tells people.
  func judge(_ page: FetchPage) {
    for sentence in page.waitingFor + page.notices
    where !sentence.hasSuffix(".") || sentence.first?.isLowercase != false {
      found.withLock { $0.append("it told people '\(sentence)', which is no sentence") }
    }
  }

  /// Whether a remedy helps against what happened.
  static func allows(_ remedy: TransportError.Remedy, for code: TransportError.Code) -> Bool {
    let isRetry = if case .retry = remedy { true } else { false }
    return switch code {
    case .unreachable, .throttled: isRetry
    case .accountUnavailable: remedy == .waitForAccount || isRetry
    case .notAuthorized: remedy == .waitForAccount || remedy == .ask || isRetry
    case .zoneNotFound, .zoneReplaced, .zonePurged, .incompatibleVersion: remedy == .ask
    case .cursorExpired: remedy == .compareAll
    case .zoneRestored: remedy == .compareAll || remedy == .ask
    case .deviceRestored: remedy == .ask
    case .schemaRefused: remedy == .ask || remedy == .stop
    case .tooLarge: remedy == .split
    case .clockSkew: remedy == .fixClock
    case .quota: remedy == .ask || isRetry
    case .damaged: true
    case .invalidRequest: remedy != .waitForAccount && remedy != .fixClock
    case .unknownTransport: remedy == .stop
    default: true
    }
  }
}

/// A transport whose errors and sentences are judged.
struct JudgedTransport: Transport {
  let inner: any Transport
  let judge: ErrorJudge

  var specification: String { inner.specification }
  var traits: TransportTraits { inner.traits }

  func account() async throws(TransportError) -> AccountState {
    try await judged { () throws(TransportError) in try await inner.account() }
  }

  func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    try await judged { () throws(TransportError) in try await inner.open(request) }
  }

  func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await judged { () throws(TransportError) in try await inner.send(page) }
  }

  func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    let page = try await judged { () throws(TransportError) in try await inner.fetch(request) }
    judge.judge(page)
    return page
  }

  func exchangeReceipts(_ receipt: Receipt) async throws(TransportError) -> [DeviceReport] {
    try await judged { () throws(TransportError) in try await inner.exchangeReceipts(receipt) }
  }

  func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await judged { () throws(TransportError) in try await inner.purge(request) }
  }

  func hints() -> AsyncStream<Hint> { inner.hints() }

  private func judged<Answer>(
    _ call: () async throws(TransportError) -> Answer
  ) async throws(TransportError) -> Answer {
    do throws(TransportError) {
      return try await call()
    } catch {
      judge.judge(error)
      throw error
    }
  }
}
