import StrandlineServer
import Synchronization

/// The service behind one address, which may be put in place of another one while it is asked.
final class ServiceDesk: RequestAnswering {
  /// That nobody is there.
  struct Closed: Error {}

  private struct State {
    var server: Server<SQLiteServerStorage>?
    var isOpen = true
  }

  private let state: Mutex<State>

  init(_ server: Server<SQLiteServerStorage>) {
    state = Mutex(State(server: server))
  }

  /// The server, unless nobody can reach it.
  var server: Server<SQLiteServerStorage>? {
    state.withLock { $0.isOpen ? $0.server : nil }
  }

  func set(_ server: Server<SQLiteServerStorage>) {
    state.withLock { $0.server = server }
  }

  /// Lets go of the server, whose files may then be exchanged.
  func stop() throws {
    closeStreams()
    state.withLock { $0.server = nil }
  }

  func setOpen(_ isOpen: Bool) {
    if !isOpen { closeStreams() }
    state.withLock { $0.isOpen = isOpen }
  }

  func closeStreams() {
    state.withLock { $0.server }?.closeStreams()
  }

  func lookForForeignChanges() {
    state.withLock { $0.server }?.lookForForeignChanges()
  }

  func answerAtOnce(_ request: ServerRequest) -> ServerAnswer? {
    server?.answerAtOnce(request)
  }

  func refusal(ofHead request: ServerRequest, bodyBytes: Int?) -> ServerAnswer? {
    server?.refusal(ofHead: request, bodyBytes: bodyBytes)
  }

  func bodyLimit(at path: String) -> Int { server?.bodyLimit(at: path) ?? 0 }

  func answer(_ request: ServerRequest) -> ServerAnswer {
    server?.answer(request) ?? ServerAnswer(status: 503)
  }

  func refuse(_ status: Int, _ message: String, retryAfterSeconds: Int?) -> ServerAnswer {
    server?.refuse(status, message, retryAfterSeconds: retryAfterSeconds)
      ?? ServerAnswer(status: status)
  }
}
