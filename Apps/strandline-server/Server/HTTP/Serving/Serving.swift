import Foundation

/// What the command `serve` does.
package enum Serving {
  /// Serves until the process is told to stop by SIGTERM or SIGINT; it blocks its thread.
  ///
  /// When requests are taken, the line `Listening on ADDRESS` is handed out.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - options: How to serve.
  ///   - tokenHash: The hash under which a token is kept; nil for text that is no token.
  ///   - ready: Called with the line that says where it listens.
  /// - Throws: `ServeError` where it cannot listen, and what the storage throws.
  package static func run<Storage: ServerStorage>(
    _ storage: Storage, _ options: ServeOptions,
    tokenHash: @escaping @Sendable (String) -> [UInt8]?, ready: (String) -> Void
  ) throws {
    // Before any thread starts, so that no early signal ends the process at once.
    let signals = StopSignals()
    let running = try RunningServer(storage, options, tokenHash: tokenHash)
    ready("Listening on \(running.front.url)")
    signals.wait()
    running.stop()
  }
}

/// The signals by which a process is asked to stop.
private final class StopSignals {
  private let asked = DispatchSemaphore(value: 0)
  private let sources: [any DispatchSourceSignal]

  init() {
    // A client that goes away while it is written to is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    let queue = DispatchQueue(label: "strandline.signals")
    sources = [SIGTERM, SIGINT].map { number in
      signal(number, SIG_IGN)
      return DispatchSource.makeSignalSource(signal: number, queue: queue)
    }
    for source in sources {
      source.setEventHandler { [asked] in asked.signal() }
      source.resume()
    }
  }

  func wait() {
    asked.wait()
  }

  deinit {
    for source in sources { source.cancel() }
    for number in [SIGTERM, SIGINT] { signal(number, SIG_DFL) }
  }
}
