import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import Synchronization

// The streams of hints, and what has to be looked at now and then for them.
extension Server {
  func eventsAnswer(
    _ permit: Permit, _ request: ServerRequest
  ) throws(ServerRefusal) -> ServerAnswer {
    guard let token = permit.token else { throw BearerToken.Fault.missing.refusal }
    let stream = try hub.open(
      account: token.account, tokenHash: token.hash, after: request.headers["last-event-id"])
    if let expiry = token.expiresAt {
      state.withLock { $0.nextExpiry = min($0.nextExpiry, expiry) }
    }
    return ServerAnswer(
      status: 200,
      headers: ["Content-Type": HTTPAPI.events, "X-Accel-Buffering": "no"],
      body: .events(stream))
  }

  /// How many streams are open.
  package var streamCount: Int { hub.count }

  /// Does what is due: signs of life, the end of streams whose tokens have ended, and another try
  /// to write where the last one failed.
  ///
  /// It is to be called every second or so.
  package func tick() {
    let now = clock.milliseconds
    let isDue = lastKeepAlive.withLock { last in
      // A clock that was turned back begins anew.
      guard now - last >= limits.keepAliveMilliseconds || now < last else { return false }
      last = now
      return true
    }
    if isDue { hub.keepAlive() }
    if state.withLock({ $0.nextExpiry <= now }) { closeUnusableStreams() }
    if case .fine = health.withLock({ $0 }) { return }
    tryToWrite()
  }

  /// Looks whether another process has changed anything, and tells the streams of it.
  ///
  /// - Returns: Whether anything had changed.
  @discardableResult package func lookForForeignChanges() -> Bool {
    guard let found = foreignFindings() else { return false }
    identity.withLock { $0 = found.identity }
    hub.compare(with: found.zones)
    closeUnusableStreams()
    return true
  }

  /// Ends all streams and opens no more.
  package func closeStreams() {
    hub.closeAll()
  }
}

private struct ForeignFindings: Sendable {
  let identity: ServerIdentity
  let zones: [Zone]
}

extension Server {
  /// What is there after a change by others; nil where nothing changed.
  private func foreignFindings() -> ForeignFindings? {
    do {
      return try state.withLock { (state) throws(TransportError) -> ForeignFindings? in
        let number = try state.authority.storage.foreignChanges()
        guard number != state.foreignChanges else { return nil }
        let storage = state.authority.storage
        let found = ForeignFindings(identity: try storage.identity(), zones: try storage.zones())
        state.foreignChanges = number
        return found
      }
    } catch {
      // It is looked again; what keeps the storage from being read is told to whoever asks next.
      return nil
    }
  }

  /// Ends the streams whose tokens were revoked, have expired or are gone.
  private func closeUnusableStreams() {
    let (now, hashes) = (clock.milliseconds, hub.tokenHashes)
    do {
      let unusable = try state.withLock { (state) throws(TransportError) -> Set<[UInt8]> in
        var tokens: [[UInt8]: AccessToken] = [:]
        for hash in hashes { tokens[hash] = try state.authority.storage.token(withHash: hash) }
        let usable = tokens.filter { $0.value.isUsable(at: now) }
        state.nextExpiry = usable.values.compactMap(\.expiresAt).min() ?? .max
        return hashes.subtracting(usable.keys)
      }
      hub.close(tokens: unusable)
    } catch {
      // A token that cannot be looked up is no reason to trust it.
      hub.close(tokens: hashes)
    }
  }

  /// Writes what is there already, to find out whether there is space again.
  private func tryToWrite() {
    do {
      try withAuthority { (authority) throws(TransportError) in
        try authority.inTransaction { (storage) throws(TransportError) in
          if let zone = try storage.zones().first { try storage.save(zone) }
        }
      }
      health.withLock { $0 = .fine }
    } catch {
      // The health stays as it is until a write succeeds.
      return
    }
  }
}
