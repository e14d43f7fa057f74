/// Where a server listens: a host and a port.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A name or a numeric address, without brackets.
  package var host: String
  /// The port; 0 takes a free one.
  package var port: UInt16

  /// Names a host and a port.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// The host that is meant where none is named: this machine alone.
  package static let usualHost = "127.0.0.1"
  /// The port that is meant where none is named.
  package static let usualPort: UInt16 = 8321

  /// Reads `HOST:PORT`, `[ADDRESS]:PORT`, `HOST`, `:PORT` or `PORT`.
  package init?(_ text: String) {
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let host = String(text[text.index(after: text.startIndex)..<end])
      guard !host.isEmpty, let port = Self.port(after: text[text.index(after: end)...]) else {
        return nil
      }
      self.init(host: host, port: port)
      return
    }
    if let port = UInt16(text) {
      self.init(host: Self.usualHost, port: port)
      return
    }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2, let name = parts.first, !text.isEmpty,
      let port = Self.port(after: text[name.endIndex...])
    else { return nil }
    self.init(host: name.isEmpty ? Self.usualHost : String(name), port: port)
  }

  private static func port(after text: Substring) -> UInt16? {
    if text.isEmpty { return usualPort }
    guard text.first == ":" else { return nil }
    return UInt16(text.dropFirst())
  }

  /// Whether only this machine can reach it.
  package var isLoopback: Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  /// The text form, with brackets around an address of IPv6.
  package var description: String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
