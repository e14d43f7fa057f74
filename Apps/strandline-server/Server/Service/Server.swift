import StrandlineAuthority
import StrandlineHTTPProtocol
package import StrandlineModels
package import StrandlineTransport
import Synchronization

/// A server without its sockets: requests in, answers out, from any thread.
///
/// It wraps the authority, which alone decides; here it is only found out who asks and what for.
/// Operations come one after the other. ``tick()`` and ``lookForForeignChanges()`` are to be
/// called now and then.
package final class Server<Storage: ServerStorage>: Sendable {
  struct State: Sendable {
    var authority: Authority<Storage>
    var identity: ServerIdentity
    var foreignChanges: Int64
    /// The earliest time at which a token that a stream was opened with ends.
    var nextExpiry: Int64 = .max
  }

  let limits: ServerLimits
  let clock: WallClock
  let hosts: HostCheck
  let tokenHash: @Sendable (String) -> [UInt8]?
  let hub: HintHub
  let state: Mutex<State>
  let brake: Mutex<GuessBrake>
  let identity: Mutex<ServerIdentity>
  let health = Mutex(StorageHealth.fine)
  let lastKeepAlive: Mutex<Int64>

  /// Puts a server before a storage.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - limits: What is taken.
  ///   - hosts: The names by which it may be asked for.
  ///   - clock: The time of day.
  ///   - random: Where random numbers come from.
  ///   - tokenHash: The hash under which a token is kept; nil for text that is no token.
  /// - Throws: What the storage throws.
  package init(
    storage: Storage, limits: ServerLimits = ServerLimits(), hosts: HostCheck = .any,
    clock: WallClock, random: any RandomNumberGenerator & Sendable,
    tokenHash: @escaping @Sendable (String) -> [UInt8]?
  ) throws(TransportError) {
    let authority = Authority(
      storage: storage, limits: limits.authority, advice: .server, clock: clock, random: random)
    let (identity, zones) = (try storage.identity(), try storage.zones())
    state = Mutex(
      State(
        authority: authority, identity: identity,
        foreignChanges: try authority.storage.foreignChanges()))
    self.limits = limits
    self.clock = clock
    self.hosts = hosts
    self.tokenHash = tokenHash
    self.identity = Mutex(identity)
    hub = HintHub(zones: zones, limits: limits)
    brake = Mutex(GuessBrake(guesses: limits.guesses, window: limits.guessMilliseconds))
    lastKeepAlive = Mutex(clock.milliseconds)
  }
}

extension Authority where Storage: ServerStorage {
  /// Runs something as one transaction of the storage.
  mutating func inTransaction<Result>(
    _ body: (inout Storage) throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    try storage.begin(.relaxed)
    do {
      let result = try body(&storage)
      try storage.commit()
      return result
    } catch {
      storage.rollBack()
      throw error
    }
  }
}

/// Whether the storage could do what it was asked last.
enum StorageHealth: Sendable {
  case fine
  case full
  case failing
}

extension Server: RequestAnswering {
  package func answer(_ request: ServerRequest) -> ServerAnswer {
    var note = AnswerNote()
    do {
      let permit = try admit(request, bodyBytes: request.body.count, &note)
      return finish(try run(permit, request, &note), note)
    } catch {
      return refuse(error, note)
    }
  }

  package func answerAtOnce(_ request: ServerRequest) -> ServerAnswer? {
    guard Endpoint(path: request.path) == .health else { return nil }
    return answer(request)
  }

  package func refusal(ofHead request: ServerRequest, bodyBytes: Int?) -> ServerAnswer? {
    var note = AnswerNote()
    do {
      _ = try admit(request, bodyBytes: bodyBytes ?? 0, &note)
      return nil
    } catch {
      return refuse(error, note)
    }
  }

  package func bodyLimit(at path: String) -> Int {
    Endpoint(path: path).map(bodyLimit) ?? 0
  }

  package func refuse(
    _ status: Int, _ message: String, retryAfterSeconds: Int?
  ) -> ServerAnswer {
    if let seconds = retryAfterSeconds {
      return refuse(.later(status, .throttled, message, seconds: seconds), AnswerNote())
    }
    return refuse(.invalid(status, "invalidRequest", message), AnswerNote())
  }

  private func refuse(_ refusal: ServerRefusal, _ note: AnswerNote) -> ServerAnswer {
    let body = ErrorBody(refusal.error)
    var answer = ServerAnswer(
      status: refusal.status, headers: refusal.headers,
      body: .bytes(Array((body.json.text + "\n").utf8)))
    answer.headers["Content-Type"] = HTTPAPI.json
    if let seconds = body.retryAfterSeconds { answer.headers["Retry-After"] = String(seconds) }
    var note = note
    note.error = refusal.error.codeName
    if let token = refusal.error.context["token"] {
      note.error = "\(refusal.error.codeName).\(token)"
    }
    return finish(answer, note)
  }

  /// Adds what every answer says.
  private func finish(_ answer: ServerAnswer, _ note: AnswerNote) -> ServerAnswer {
    var answer = answer
    let identity = identity.withLock { $0 }
    answer.headers[HTTPAPI.serverHeader] = identity.id
    answer.headers[HTTPAPI.incarnationHeader] = String(identity.incarnation)
    answer.headers["X-Content-Type-Options"] = "nosniff"
    answer.headers["Cache-Control"] = "no-store"
    answer.note = note
    return answer
  }
}

extension Server {
  /// Runs an operation of the authority, alone, and notes whether the storage could do it.
  func withAuthority<Result: Sendable>(
    _ operation: (inout Authority<Storage>) throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    do {
      let result = try state.withLock { (state) throws(TransportError) in
        try operation(&state.authority)
      }
      return result
    } catch {
      noteFailure(error)
      throw error
    }
  }

  private func noteFailure(_ error: TransportError) {
    switch error.code {
    case .quota: health.withLock { $0 = .full }
    case .unreachable: health.withLock { $0 = .failing }
    case .damaged where error.remedy == .stop: health.withLock { $0 = .failing }
    default: break
    }
  }
}
