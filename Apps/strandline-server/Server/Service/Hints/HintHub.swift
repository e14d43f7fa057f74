import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineTransport
import Synchronization

/// Tells the streams of an account that one of its zones has changed.
///
/// An event's id is the mark of all the account's zones, see ``ZoneBoard/mark(of:)``: a reader
/// that comes back with it is told at once whether it has missed anything.
final class HintHub: Sendable {
  /// One who listens.
  private struct Listener {
    let stream: EventStream
    let tokenHash: [UInt8]
  }

  private struct State {
    var board: ZoneBoard
    var next = 0
    var listeners: [String: [Int: Listener]] = [:]
    var count = 0
    var isClosed = false
  }

  private let limits: ServerLimits
  private let state: Mutex<State>

  /// Starts with the zones as they are.
  init(zones: [Zone], limits: ServerLimits) {
    self.limits = limits
    state = Mutex(State(board: ZoneBoard(zones)))
  }

  /// How many listen.
  var count: Int { state.withLock { $0.count } }

  /// Opens a stream of an account.
  ///
  /// - Parameters:
  ///   - account: The account.
  ///   - tokenHash: The hash of the token that it was opened with.
  ///   - last: The id of the last event that the reader saw.
  /// - Returns: The stream, in which what the reader has missed stands already.
  /// - Throws: `throttled` where too many listen.
  func open(
    account: String, tokenHash: [UInt8], after last: String?
  ) throws(ServerRefusal) -> EventStream {
    let stream = EventStream(account: account, capacity: limits.streamBytes)
    let isTaken = state.withLock { state -> Bool in
      guard !state.isClosed, state.count < limits.streams,
        state.listeners[account, default: [:]].count < limits.streamsPerAccount
      else { return false }
      state.next += 1
      state.count += 1
      let number = state.next
      state.listeners[account, default: [:]][number] = Listener(
        stream: stream, tokenHash: tokenHash)
      stream.onLeave { [weak self] in self?.remove(number, of: account) }
      stream.add(Array(": connected\n\n".utf8))
      let mark = state.board.mark(of: account)
      if last == String(mark) { return true }
      for (zone, place) in state.board.zones(of: account).suffix(limits.firstHints) {
        stream.add(Self.event(mark, zone, place, by: nil))
      }
      return true
    }
    guard isTaken else {
      throw .later(
        503, .throttled, "Could not open a stream of events, too many are open.", seconds: 15)
    }
    return stream
  }

  private func remove(_ number: Int, of account: String) {
    state.withLock { state in
      guard state.listeners[account]?.removeValue(forKey: number) != nil else { return }
      state.count -= 1
      if state.listeners[account]?.isEmpty == true { state.listeners[account] = nil }
    }
  }

  private static func event(
    _ mark: Int64, _ zone: ZoneID, _ place: ZoneBoard.Place, by device: String?
  ) -> [UInt8] {
    Array(
      HintEvent(
        number: mark, zone: zone, incarnation: place.incarnation, sequence: place.sequence,
        device: device
      ).text.utf8)
  }
}

// What streams are told.
extension HintHub {
  /// Tells of a group that was accepted, or of a zone that was made.
  func tell(_ zone: ZoneID, of account: String, proof: Proof, by device: String?) {
    tell(account: account, by: device) { board in
      [(zone, board.note(zone, of: account, proof: proof))]
    }
  }

  /// Tells of a purge.
  func tellPurge(_ zone: ZoneID, of account: String, by device: String?) {
    tell(account: account, by: device) { board in
      board.notePurge(zone).map { [(zone, $0)] } ?? []
    }
  }

  /// Compares with all zones as they are now, and tells of what others have changed.
  func compare(with zones: [Zone]) {
    for (account, zones) in Dictionary(grouping: zones, by: \.account) {
      tell(account: account, by: nil) { board in
        zones.compactMap { zone in board.note(zone).map { (zone.id, $0) } }
      }
    }
    state.withLock { $0.board.keep(Set(zones.map(\.id))) }
  }

  private func tell(
    account: String, by device: String?,
    _ note: (inout ZoneBoard) -> [(ZoneID, ZoneBoard.Place)]
  ) {
    // The events are put into the buffers under the lock, so that their order is that of the marks.
    // Whoever is woken by that takes no lock of this hub.
    state.withLock { state in
      let news = note(&state.board)
      guard !news.isEmpty, let listeners = state.listeners[account] else { return }
      let mark = state.board.mark(of: account)
      let bytes = news.flatMap { Self.event(mark, $0.0, $0.1, by: device) }
      for listener in listeners.values { listener.stream.add(bytes) }
    }
  }

  /// Tells all streams that the server is there.
  func keepAlive() {
    let bytes = Array(": keep-alive\n\n".utf8)
    for listener in listeners { listener.stream.add(bytes) }
  }

  /// The hashes of the tokens that streams were opened with.
  var tokenHashes: Set<[UInt8]> { Set(listeners.map(\.tokenHash)) }

  /// Closes the streams that were opened with certain tokens.
  func close(tokens: Set<[UInt8]>) {
    for listener in listeners where tokens.contains(listener.tokenHash) { listener.stream.close() }
  }

  /// Closes all streams and opens none any more.
  func closeAll() {
    state.withLock { $0.isClosed = true }
    for listener in listeners { listener.stream.close() }
  }

  private var listeners: [Listener] {
    state.withLock { state in state.listeners.values.flatMap { Array($0.values) } }
  }
}
