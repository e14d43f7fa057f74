/// The names by which a server may be asked for.
///
/// Any page in a browser can send requests to a server on the same machine under a name of its
/// own that leads there. It cannot choose the header `Host`, which tells that name.
package struct HostCheck: Hashable, Sendable {
  private let allowed: Set<String>?

  /// Lets every name pass.
  package static let any = HostCheck(allowed: nil)

  private init(allowed: Set<String>?) {
    self.allowed = allowed
  }

  /// The check for a server at an address.
  ///
  /// - Parameters:
  ///   - address: Where it listens; where only this machine can reach that, the usual names of this
  ///     machine are let pass.
  ///   - names: Further names; where any are given, no others pass.
  package init(listeningAt address: ListenAddress, names: [String]) {
    guard address.isLoopback || !names.isEmpty else {
      allowed = nil
      return
    }
    let own = address.isLoopback ? ["localhost", "127.0.0.1", "[::1]"] : []
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    allowed = Set((own + names + [host]).map { $0.lowercased() })
  }

  /// Whether a request for that header `Host` is meant for this server.
  package func passes(_ header: String?) -> Bool {
    guard let allowed else { return true }
    guard var name = header?.lowercased() else { return false }
    if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") {
      let port = name[name.index(after: colon)...]
      guard !port.isEmpty, port.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return false }
      name = String(name[..<colon])
    }
    if name.hasSuffix("."), name.utf8.count > 1 { name.removeLast() }
    return allowed.contains(name)
  }
}
