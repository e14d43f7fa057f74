package import StrandlineModels
package import StrandlineTransport

/// An error as it stands in the body of an answer: what happened, in words, and what to do.
///
/// ```json
/// {"code":"cursorExpired","message":"…","advice":"…","remedy":"compareAll","context":{}}
/// ```
package struct ErrorBody: Sendable {
  /// The error.
  package let error: TransportError

  /// Wraps an error.
  package init(_ error: TransportError) {
    self.error = error
  }

  /// The body as JSON.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("code", .string(error.codeName)), .init("message", .string(error.message)),
      .init("advice", .string(error.advice)), .init("remedy", .string(error.remedy.name)),
    ]
    if case .retry(let delay?) = error.remedy {
      members.append(.init("retryAfterMilliseconds", .integer(delay)))
    }
    let context = error.context.sorted { $0.key < $1.key }
      .map { JSONValue.Member($0.key, .string($0.value)) }
    members.append(.init("context", .object(context)))
    return .object(members)
  }

  /// Reads a body, or nil where it is none.
  ///
  /// Texts are cut where they are too long, and control characters are replaced, since they may
  /// end on a terminal. A remedy that this version does not know becomes a question to the
  /// person.
  package init?(_ json: JSONValue) {
    guard let code = json["code"]?.string, let message = json["message"]?.string,
      let name = json["remedy"]?.string
    else { return nil }
    var context: [String: String] = [:]
    for member in (json["context"]?.members ?? []).prefix(Self.contextEntries) {
      context[Self.plain(member.name)] = member.value.string.map(Self.plain)
    }
    error = TransportError(
      .init(rawValue: Self.plain(code)), Self.plain(message),
      advice: Self.plain(json["advice"]?.string ?? ""),
      remedy: .init(name: name, delay: json["retryAfterMilliseconds"]?.integer),
      context: context)
  }

  private static let contextEntries = 32
  private static let textCharacters = 2000

  private static func plain(_ text: String) -> String {
    PlainText.text(text, limit: textCharacters)
  }
}

extension ErrorBody {
  /// The status that goes with the error.
  package var status: Int {
    switch error.code {
    case .notAuthorized: 401
    case .accountUnavailable: 403
    case .zoneNotFound: 404
    case .zoneReplaced, .zoneRestored, .deviceRestored, .clockSkew: 409
    case .zonePurged, .cursorExpired: 410
    case .tooLarge: 413
    case .schemaRefused: 422
    case .throttled: 429
    case .unreachable: 503
    case .quota: 507
    case .incompatibleVersion: 501
    case .damaged: error.remedy == .stop ? 500 : 400
    default: 400
    }
  }

  /// Whole seconds for the header `Retry-After`, if the error says when to come again.
  package var retryAfterSeconds: Int64? {
    guard case .retry(let delay?) = error.remedy else { return nil }
    return max(1, (delay + 999) / 1000)
  }
}

extension TransportError.Remedy {
  /// The word for it on the wire.
  fileprivate var name: String {
    switch self {
    case .retry: "retry"
    case .waitForAccount: "waitForAccount"
    case .compareAll: "compareAll"
    case .split: "split"
    case .fixClock: "fixClock"
    case .ask: "ask"
    case .stop: "stop"
    }
  }

  /// Reads the word; the delay counts for `retry` alone, up to a day.
  fileprivate init(name: String, delay: Int64?) {
    switch name {
    case "retry": self = .retry(afterMilliseconds: delay.map { min(max($0, 0), 86_400_000) })
    case "waitForAccount": self = .waitForAccount
    case "compareAll": self = .compareAll
    case "split": self = .split
    case "fixClock": self = .fixClock
    case "stop": self = .stop
    default: self = .ask
    }
  }
}
