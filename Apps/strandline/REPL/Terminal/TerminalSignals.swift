import Foundation
import Synchronization

/// The write end of the pipe that the handler tells; -1 while nobody listens.
private let listener = Atomic<Int32>(-1)

/// Turns signals into bytes in a wake pipe.
///
/// libedit's own handling stays off: it sends the signal to the whole process group once more.
/// The handlers restart system calls, so that no other thread meets an interrupted one; `poll`
/// returns all the same, since the byte in the pipe makes it ready.
package enum TerminalSignals {
  /// The signals that a line editor answers by itself.
  package static let watched = [SIGINT, SIGWINCH, SIGTSTP, SIGTERM, SIGHUP, SIGQUIT]

  /// Begins to report; signals that the parent process had ignored stay ignored.
  package static func report(to pipe: WakePipe) {
    // The first store also initialises the atomic, which a handler must not do.
    listener.store(pipe.writeEnd, ordering: .sequentiallyConsistent)
    for number in watched { install(number) }
  }

  /// Gives all watched signals their default action again.
  package static func stopReporting() {
    for number in watched { restoreDefault(number) }
    listener.store(-1, ordering: .sequentiallyConsistent)
  }

  /// Reports one signal (again).
  package static func install(_ number: Int32) {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return }
    if isIgnored(action) { return }
    action = sigaction()
    action.sa_flags = SA_RESTART
    // A second request to end is obeyed at once, even if answering the first one hangs.
    if [SIGTERM, SIGHUP, SIGQUIT].contains(number) {
      action.sa_flags |= Int32(truncatingIfNeeded: SA_RESETHAND)
    }
    setHandler(of: &action)
    sigaction(number, &action, nil)
  }

  /// Gives one signal its default action.
  package static func restoreDefault(_ number: Int32) {
    var action = sigaction()
    sigaction(number, &action, nil)
  }

  /// Gives one signal its default action and has it act before this returns.
  ///
  /// The signal is this thread's own. One to the process may reach another thread only after the
  /// handler stands again, which would answer it once more.
  package static func actByDefault(_ number: Int32) {
    restoreDefault(number)
    var only = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, number)
    var before = sigset_t()
    // The thread has the mask of the one that made it, which may block the signal.
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(number)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func setHandler(of action: inout sigaction) {
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handle
    #else
      action.__sigaction_handler.sa_handler = handle
    #endif
  }

  /// Writes the signal's number; it calls nothing that is not safe in a handler.
  private static let handle: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(listener.load(ordering: .relaxed), &byte, 1)
    errno = saved
  }
}
