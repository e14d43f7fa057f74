/// The names of the HTTP interface: its version, paths, headers and content types.
package enum HTTPAPI {
  /// The version in every path; it changes only where an old client could misread an answer.
  package static let version = "v1"

  /// The header by which a Strandline server makes itself known: its random name.
  ///
  /// An answer without it comes from somebody else, such as a proxy or a captive portal.
  package static let serverHeader = "Strandline-Server"
  /// The header that counts how often the server was put back to an earlier state.
  package static let incarnationHeader = "Strandline-Incarnation"

  /// Messages of devices.
  package static let cbor = "application/cbor"
  /// Everything that people read, and errors.
  package static let json = "application/json"
  /// The stream of hints.
  package static let events = "text/event-stream"
}

/// What can be asked of a server.
package enum Endpoint: Hashable, Sendable {
  /// Whether the server runs; the one endpoint without a token.
  case health
  /// Whose account the token opens.
  case account
  /// Limits, for people.
  case limits
  /// The account's zones, for people.
  case zones
  /// Opens a zone.
  case open
  /// Hints as they come, for all zones of the account.
  case events
  /// What is in a zone, for people; it leaves no trace of a reader.
  case changes(zone: String)
  /// Takes a page of a group.
  case send(zone: String)
  /// Shows a device what changed after its cursor.
  case fetch(zone: String)
  /// Takes a receipt and tells those of others.
  case receipts(zone: String)
  /// Removes everything in a zone.
  case purge(zone: String)

  /// The only method that the endpoint answers.
  package var method: String {
    switch self {
    case .health, .account, .limits, .zones, .events, .changes: "GET"
    case .open, .send, .fetch, .receipts, .purge: "POST"
    }
  }

  /// The path, which begins with a slash.
  package var path: String {
    let rest =
      switch self {
      case .health: "health"
      case .account: "account"
      case .limits: "limits"
      case .zones: "zones"
      case .open: "open"
      case .events: "events"
      case .changes(let zone): "zones/\(zone)/changes"
      case .send(let zone): "zones/\(zone)/send"
      case .fetch(let zone): "zones/\(zone)/fetch"
      case .receipts(let zone): "zones/\(zone)/receipts"
      case .purge(let zone): "zones/\(zone)/purge"
      }
    return "/\(HTTPAPI.version)/\(rest)"
  }

  /// The endpoint at a path, or nil where there is none.
  ///
  /// A zone's name is lower-case hexadecimal digits and nothing else, so a path holds nothing
  /// that would have to be unescaped.
  package init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 2, parts[0].isEmpty, parts[1] == HTTPAPI.version else { return nil }
    switch Array(parts[2...]) {
    case ["health"]: self = .health
    case ["account"]: self = .account
    case ["limits"]: self = .limits
    case ["zones"]: self = .zones
    case ["open"]: self = .open
    case ["events"]: self = .events
    default:
      guard parts.count == 5, parts[2] == "zones", Self.isZone(parts[3]) else { return nil }
      switch parts[4] {
      case "changes": self = .changes(zone: parts[3])
      case "send": self = .send(zone: parts[3])
      case "fetch": self = .fetch(zone: parts[3])
      case "receipts": self = .receipts(zone: parts[3])
      case "purge": self = .purge(zone: parts[3])
      default: return nil
      }
    }
  }

  private static func isZone(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
