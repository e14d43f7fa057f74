import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import Synchronization

/// What a request may do: an endpoint, and an account where one is needed.
struct Permit: Sendable {
  let endpoint: Endpoint
  /// The token that was shown; nil for the health alone.
  let token: AccessToken?

  /// The account; empty for the health alone.
  var account: String { token?.account ?? "" }
}

extension Endpoint {
  /// The word for it in the log.
  var name: String {
    switch self {
    case .health: "health"
    case .account: "account"
    case .limits: "limits"
    case .zones: "zones"
    case .open: "open"
    case .events: "events"
    case .changes: "changes"
    case .send: "send"
    case .fetch: "fetch"
    case .receipts: "receipts"
    case .purge: "purge"
    }
  }

  /// Whether it reads a message of a device.
  var takesMessage: Bool { method == "POST" }
}

// Everything that is asked before a request is read.
extension Server {
  /// Lets a request pass, or says why not; it needs the head alone.
  func admit(
    _ request: ServerRequest, bodyBytes: Int, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> Permit {
    guard hosts.passes(request.headers["host"]) else {
      throw .invalid(
        421, "misdirected", "Could not serve the request, it is meant for another host.",
        advice: "Use the server's own address, or start it with --host NAME.")
    }
    guard let endpoint = Endpoint(path: request.path) else {
      throw .invalid(404, "notFound", "Could not serve the request, there is nothing at its path.")
    }
    note.endpoint = endpoint.name
    guard request.method == endpoint.method else {
      throw .invalid(
        405, "methodNotAllowed",
        "Could not serve the request, its path takes \(endpoint.method) alone.",
        headers: ["Allow": endpoint.method])
    }
    var token: AccessToken?
    if endpoint != .health { token = try checkToken(of: request, &note) }
    try ContentCheck.check(request.headers, takesMessage: endpoint.takesMessage)
    let limit = bodyLimit(endpoint)
    guard bodyBytes <= limit else {
      throw ServerRefusal(
        413,
        TransportError(
          .tooLarge, "Could not take the request, its body is larger than \(limit) bytes.",
          advice: "Send it in smaller portions.", remedy: .split,
          context: ["bytes": String(limit)]))
    }
    return Permit(endpoint: endpoint, token: token)
  }

  /// The greatest size of an endpoint's body.
  func bodyLimit(_ endpoint: Endpoint) -> Int {
    switch endpoint {
    case .send: limits.sendBytes
    case .open, .fetch, .receipts, .purge: limits.messageBytes
    case .health, .account, .limits, .zones, .events, .changes: 0
    }
  }

  private func checkToken(
    of request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> AccessToken {
    let now = clock.milliseconds
    let address = request.remoteAddress
    let secret: String
    switch BearerToken.secret(in: request.headers["authorization"]) {
    case .success(let found): secret = found
    case .failure(let error): throw error.fault.refusal
    }
    let hash = tokenHash(secret)
    if let seconds = brake.withLock({ $0.wait(of: address, hash: hash, at: now) }) {
      throw .later(
        429, .throttled, "Could not look at the token, too many wrong ones came from there.",
        seconds: seconds)
    }
    guard let hash, let token = try find(hash) else {
      brake.withLock { $0.noteFailure(of: address, at: now) }
      throw (hash == nil ? BearerToken.Fault.malformed : .unknown).refusal
    }
    note.account = token.account
    if token.revokedAt != nil { throw BearerToken.Fault.revoked.refusal }
    guard token.isUsable(at: now) else { throw BearerToken.Fault.expired.refusal }
    brake.withLock { $0.noteSuccess(hash: hash) }
    return token
  }

  private func find(_ hash: [UInt8]) throws(ServerRefusal) -> AccessToken? {
    do {
      return try withAuthority { (authority) throws(TransportError) in
        try authority.storage.token(withHash: hash)
      }
    } catch {
      throw ServerRefusal(error)
    }
  }
}
