import StrandlineModels
import StrandlineStatus
import StrandlineStorage

/// Takes out of a support bundle what is nobody's business.
///
/// Where it cannot be told whether a text is a secret, it goes. No free text that a record, a peer
/// or another device can have written gets into a bundle: of errors only the codes that are known,
/// with the sentences that this library has for them.
struct Redaction {
  /// What stands in the place of what was taken out.
  static let removed = "(removed)"
  /// The person's home folder, whose name often is theirs.
  let home: String

  /// A transport and its address without a user's name, a password and a query.
  func address(_ text: String) -> String {
    if text.hasPrefix("directory:") {
      return "directory:" + path(String(text.dropFirst("directory:".count)))
    }
    guard let colon = text.firstIndex(of: ":") else { return text }
    var rest = text[text.index(after: colon)...]
    var end = ""
    if let query = rest.firstIndex(where: { $0 == "?" || $0 == "#" }) {
      end = String(rest[query]) + Self.removed
      rest = rest[..<query]
    }
    var begin = text[...colon]
    if rest.hasPrefix("//") {
      begin += "//"
      rest = rest.dropFirst(2)
    }
    // A password may have any character, so that the last at sign ends it.
    if let at = rest.lastIndex(of: "@") {
      rest = rest[rest.index(after: at)...]
      begin += Self.removed + "@"
    }
    return begin + rest + end
  }

  /// A path with the home folder as `~`.
  func path(_ text: String) -> String {
    guard home.count > 1, text == home || text.hasPrefix(home + "/") else { return text }
    return "~" + text.dropFirst(home.count)
  }

  /// A sentence with the home folder as `~`.
  func inText(_ text: String) -> String {
    home.count > 1 ? text.replacing(home, with: "~") : text
  }

  /// A configuration with its secrets taken out, also under keys that are not known here.
  func configuration(_ json: JSONValue, key: String = "") -> JSONValue {
    switch json {
    case .object(let members):
      return .object(members.map { .init($0.name, configuration($0.value, key: $0.name)) })
    case .array(let elements):
      return .array(elements.map { configuration($0, key: key) })
    case .string(let text):
      if Self.isSecret(key) { return .string(Self.removed) }
      return .string(key == "transport" || text.contains("://") ? address(text) : path(text))
    default:
      return Self.isSecret(key) ? .string(Self.removed) : json
    }
  }

  private static let secretWords = ["token", "secret", "password", "passphrase", "credential"]

  /// The path of a file that holds a secret is none.
  private static func isSecret(_ key: String) -> Bool {
    let name = key.lowercased()
    if name == "account" { return true }
    return !name.hasSuffix("file") && secretWords.contains { name.contains($0) }
  }

  /// A code that this library knows; a peer may have sent anything as one.
  static func code(_ code: String?) -> String? {
    guard let code else { return nil }
    return Wording.error(code: code) == nil && code != "interrupted" ? "other" : code
  }

  /// The name of an activity that this library knows.
  static func kind(_ kind: String) -> String {
    EventKind(rawValue: kind) == nil ? "other" : kind
  }
}
