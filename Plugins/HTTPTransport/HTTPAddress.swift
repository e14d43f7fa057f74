import Foundation
import StrandlineHTTPProtocol
package import StrandlineTransport

/// The address of a server: scheme, host, port, and the path that a proxy in front of it may add.
package struct HTTPAddress: Hashable, Sendable, CustomStringConvertible {
  /// The address in its one spelling: small letters, no default port, no slash at the end.
  package let description: String

  /// Reads what a person wrote, such as `https://example.com/notes/`.
  ///
  /// - Throws: `unknownTransport`, which says what is wrong with the address and never quotes a
  ///   password.
  package init(_ specification: TransportSpecification) throws(TransportError) {
    let isNested =
      specification.address.hasPrefix("http://")
      || specification.address.hasPrefix("https://")
    let text = isNested ? specification.address : specification.description
    guard text.utf8.count <= 2000 else { throw Self.wrong("it is too long") }
    // Before anything else, so that nothing below can quote a secret.
    guard !Self.hasUser(text) else {
      throw Self.wrong(
        "it holds a user's name or a password",
        advice: "Leave them away, and name the file of an access token instead.")
    }
    guard let parts = URLComponents(string: text, encodingInvalidCharacters: false),
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f })
    else { throw Self.wrong("'\(PlainText.text(text, limit: 200))' is no address") }
    guard parts.query == nil, parts.fragment == nil else {
      throw Self.wrong("'\(text)' has something after ? or #", advice: "Leave it away.")
    }
    guard let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
      let host = parts.host?.lowercased(), !host.isEmpty
    else { throw Self.wrong("'\(text)' names no host") }
    let port = Self.portText(text).map { Int($0) ?? 0 }
    guard port.map({ (1...65_535).contains($0) }) ?? true else {
      throw Self.wrong("the port of '\(text)' is none", advice: "Use 1 to 65535.")
    }
    let place = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    let isDefault = port == nil || port == (scheme == "http" ? 80 : 443)
    description =
      "\(scheme)://\(place)" + (isDefault ? "" : ":\(port ?? 0)")
      + (try Self.path(parts.percentEncodedPath, of: text))
  }

  /// The address of an endpoint.
  func url(_ path: String) -> String { description + path }

  private static func hasUser(_ text: String) -> Bool { authority(text).contains("@") }

  /// What follows the host's colon; a number that is too large would be no port to Foundation.
  private static func portText(_ text: String) -> Substring? {
    let authority = authority(text)
    let start = authority.lastIndex(of: "]") ?? authority.startIndex
    return authority[start...].lastIndex(of: ":").map { authority[$0...].dropFirst() }
  }

  /// What stands between the slashes.
  private static func authority(_ text: String) -> Substring {
    let rest = text.range(of: "//").map { text[$0.upperBound...] } ?? text[...]
    return rest.prefix { !"/?#".contains($0) }
  }

  private static func path(_ path: String, of text: String) throws(TransportError) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.contains("."), !parts.contains(".."), !path.contains("//") else {
      throw wrong("the path of '\(text)' is none", advice: "Write it without dots and // in it.")
    }
    return parts.map { "/" + $0 }.joined()
  }

  private static func wrong(_ reason: String, advice: String? = nil) -> TransportError {
    TransportError(
      .unknownTransport, "Could not use the address of a server, \(reason).",
      advice: advice ?? "Write it as http://HOST:PORT or https://HOST.", remedy: .stop)
  }
}
