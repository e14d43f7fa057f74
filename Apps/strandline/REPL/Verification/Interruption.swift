import Foundation

/// Runs some work so that Ctrl-C, SIGTERM and SIGHUP cancel it instead of ending the process at
/// once, and it can clean up.
@MainActor enum Interruption {
  /// Runs the work.
  ///
  /// - Parameters:
  ///   - takesSignals: Whether signals are taken; at a prompt the terminal takes them.
  ///   - work: The work, which ends soon once its task is cancelled.
  /// - Throws: What the work throws.
  static func cancelling(
    takesSignals: Bool, _ work: @escaping @MainActor @Sendable () async throws -> Void
  ) async throws {
    let task = Task { try await work() }
    let sources = takesSignals ? numbers.map { source($0, task) } : []
    defer {
      for source in sources { source.cancel() }
      if takesSignals { for number in numbers { signal(number, SIG_DFL) } }
    }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private static let numbers = [SIGINT, SIGTERM, SIGHUP]

  private static func source(
    _ number: Int32, _ task: Task<Void, any Error>
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler { @Sendable in task.cancel() }
    source.activate()
    return source
  }
}
