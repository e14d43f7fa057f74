import StrandlineHTTPProtocol
import StrandlineTransport

/// Listens to the server's events, and goes on for as long as it is not cancelled.
struct HintListener: Sendable {
  let caller: HTTPCaller
  let pace: HintPace

  /// How a stream ended.
  private enum End {
    /// It was open for a while.
    case closed(after: Duration)
    /// It was not opened, and may be after a wait.
    case refused(told: Duration?)
    /// It will be refused until a person does something.
    case barred
  }

  private static let errand = Errand(
    endpoint: .events, verb: "listen to changes", expects: HTTPAPI.events)

  /// Listens and calls back, until the task is cancelled.
  func run(_ hint: @Sendable () -> Void) async {
    var failures = 0
    var place: Place?
    while !Task.isCancelled {
      let wait: Duration
      switch await listen(&place, hint) {
      case .closed(let lifetime):
        failures = lifetime >= pace.healthy ? 0 : failures + 1
        wait = pace.wait(afterFailures: failures, told: nil)
      case .refused(let told):
        failures += 1
        wait = pace.wait(afterFailures: failures, told: told)
      case .barred:
        failures += 1
        wait = pace.slowWait()
      }
      guard await pace.sleep(wait) else { return }
    }
  }

  /// The last event that came, which means something to the server that sent it alone.
  private struct Place {
    var server: ServerSighting
    var lastID: String?
  }

  private func listen(_ place: inout Place?, _ hint: () -> Void) async -> End {
    do throws(TransportError) {
      guard let token = try await caller.tokens.current() else { return .barred }
      var stream = try await open(token, place)
      if stream.head.status == 401, let newer = await caller.tokens.replacement(for: token) {
        stream = try await open(newer, place)
      }
      try caller.reader(Self.errand).check(stream.head)
      let opened = pace.uptime()
      if let server = AnswerReader.server(in: stream.head) {
        caller.memory.note(server)
        if place?.server != server { place = Place(server: server) }
      }
      // Whatever was missed meanwhile.
      hint()
      await read(stream, &place, hint)
      return .closed(after: pace.uptime() - opened)
    } catch {
      return Self.end(error)
    }
  }

  private func open(
    _ token: Secret, _ place: Place?
  ) async throws(TransportError) -> HTTPStream {
    var request = caller.request(Self.errand, token)
    if let last = place?.lastID { request.headers.append(.init("Last-Event-ID", last)) }
    do throws(HTTPClientError) {
      return try await caller.client.stream(request)
    } catch {
      throw caller.reader(Self.errand).unreachable(error)
    }
  }

  private func read(_ stream: HTTPStream, _ place: inout Place?, _ hint: () -> Void) async {
    var events = ServerEventReader()
    for await bytes in stream.chunks {
      var isWanted = false
      for event in events.read(bytes) where event.name == HintEvent.name {
        if let id = event.id, Self.isHeader(id) { place?.lastID = id }
        if let change = HintEvent(event) {
          isWanted = isWanted || caller.memory.isForeign(zone: change.zone, device: change.device)
        } else {
          // That something changed is certain, and to look costs little.
          isWanted = true
        }
      }
      if isWanted { hint() }
    }
  }

  /// Whether an id can go back to the server that gave it.
  private static func isHeader(_ id: String) -> Bool {
    (1...128).contains(id.utf8.count) && id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }

  private static func end(_ error: TransportError) -> End {
    switch error.remedy {
    case .retry(let delay): .refused(told: delay.map { .milliseconds($0) })
    case .waitForAccount, .ask, .stop, .compareAll, .split, .fixClock: .barred
    }
  }
}
