import CMicroHTTPD
import Foundation
import Synchronization

/// One connection, and how long it may go on with what it does now.
///
/// The library's own time-out counts silence alone, so that a byte now and then keeps a
/// connection for ever. Here each phase has a total deadline, and a body a least rate.
final class HTTPConnection: Sendable {
  private enum Phase {
    case head
    case body(began: Int64, bytes: Int)
    case working(giveUp: @Sendable () -> Void)
    case answering
    case streaming(EventStream, closedAt: Int64?)
  }

  private struct State {
    /// The socket, for as long as it is open for sure: it is forgotten under the lock before the
    /// library closes it, so that no other one is ever shut down under its number.
    var socket: Int32?
    var phase = Phase.head
    var deadline: Int64
    var target: String?
    var isCut = false
  }

  /// Whether it came when there were too many.
  let isSurplus: Bool
  /// The other side's numeric address.
  let remoteAddress: String
  private let timing: FrontTiming
  private let state: Mutex<State>

  init(
    socket: Int32, remoteAddress: String, isSurplus: Bool, timing: FrontTiming, now: Int64
  ) {
    self.isSurplus = isSurplus
    self.remoteAddress = remoteAddress
    self.timing = timing
    let head = isSurplus ? timing.surplusHead : timing.head
    state = Mutex(State(socket: socket, deadline: now + Int64(head)))
  }

  /// Notes that the first line of a request has come; the rest of the head must follow soon.
  func requestBegan(_ target: String, at now: Int64) {
    state.withLock { state in
      state.target = target
      state.deadline = min(state.deadline, now + Int64(timing.head))
    }
  }

  /// Takes the path and query that came with the first line.
  func takeTarget() -> String? {
    state.withLock { state in
      defer { state.target = nil }
      return state.target
    }
  }

  /// Notes that somebody else is at work for it, and what ends the wait for that.
  func isWorking(giveUp: @escaping @Sendable () -> Void) {
    state.withLock { ($0.phase, $0.deadline) = (.working(giveUp: giveUp), .max) }
  }

  /// Notes that the body is read.
  func bodyBegins(at now: Int64) {
    state.withLock { state in
      state.phase = .body(began: now, bytes: 0)
      state.deadline = now + Int64(timing.body)
    }
  }

  /// Notes bytes of the body.
  func bodyCame(_ count: Int) {
    state.withLock { state in
      if case .body(let began, let bytes) = state.phase {
        state.phase = .body(began: began, bytes: bytes + count)
      }
    }
  }

  /// Notes that an answer is being sent.
  func answerBegins(_ count: Int, at now: Int64) {
    state.withLock { state in
      state.phase = .answering
      state.deadline = now + Int64(timing.answer) + Int64(count) * 1000 / Int64(timing.leastRate)
    }
  }

  /// Notes that events are sent, and lets few of them wait in the socket.
  func streamBegins(_ stream: EventStream, socketBytes: Int) {
    state.withLock { state in
      (state.phase, state.deadline) = (.streaming(stream, closedAt: nil), .max)
      guard let socket = state.socket else { return }
      var count = Int32(clamping: socketBytes)
      let size = socklen_t(MemoryLayout<Int32>.size)
      setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &count, size)
      #if os(Linux)
        // A device that is gone without a word is noticed by a sign of life that nobody confirms.
        var patience = Int32(clamping: timing.streamSilence)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &patience, size)
      #endif
    }
  }

  /// Notes that an answer was sent and another request may come.
  func requestEnded(at now: Int64) {
    state.withLock { state in
      (state.phase, state.deadline) = (.head, now + Int64(timing.idle))
    }
  }

  /// Notes that the library is about to close the socket.
  func socketCloses() {
    state.withLock { $0.socket = nil }
  }
}

extension HTTPConnection {
  /// What was found when the connection was looked at.
  enum Finding {
    /// It goes on.
    case fine
    /// It was cut off.
    case cut
    /// It was cut off while it rested, and the library must be told by this.
    case restingCut(@Sendable () -> Void)
  }

  /// Cuts the connection off where its time is over or its stream has nobody to read it.
  func look(at now: Int64) -> Finding {
    state.withLock { state in
      guard let socket = state.socket, !state.isCut else { return .fine }
      var isOver = now > state.deadline
      switch state.phase {
      case .body(let began, let bytes):
        let elapsed = now - began
        isOver =
          isOver
          || elapsed > Int64(timing.bodyGrace)
            && Int64(bytes) * 1000 < Int64(timing.leastRate) * elapsed
      case .streaming(let stream, let closedAt):
        switch stream.standing {
        case .overflowed: isOver = true
        case .ending:
          let since = closedAt ?? now
          state.phase = .streaming(stream, closedAt: since)
          isOver = now - since > Int64(timing.streamEnd)
        // The library does not look at a stream that rests.
        case .open: isOver = strand_socket_hung_up(socket) != 0
        }
      case .head, .working, .answering: break
      }
      guard isOver else { return .fine }
      return Self.cut(&state, socket)
    }
  }

  /// Cuts the connection off at once.
  func cut() -> Finding {
    state.withLock { state in
      guard let socket = state.socket, !state.isCut else { return .fine }
      return Self.cut(&state, socket)
    }
  }

  private static func cut(_ state: inout State, _ socket: Int32) -> Finding {
    state.isCut = true
    shutdown(socket, Int32(SHUT_RDWR))
    switch state.phase {
    case .streaming(let stream, _): return .restingCut { stream.cutOff() }
    case .working(let giveUp): return .restingCut(giveUp)
    case .head, .body, .answering: return .cut
    }
  }

  /// Whether it is in the middle of a request.
  var isBusy: Bool {
    state.withLock { state in
      switch state.phase {
      case .head: false
      case .body, .working, .answering, .streaming: true
      }
    }
  }
}
