/// How long to wait before a stream of hints is asked for again.
///
/// Full jitter: after a restart of the server, thousands of devices must not come back at one
/// moment.
package struct HintPace: Sendable {
  /// The ceiling of the first wait.
  package var first = Duration.milliseconds(200)
  /// The ceiling of every wait after many failures.
  package var greatest = Duration.seconds(60)
  /// A stream that lived so long was none that the server refuses at once.
  package var healthy = Duration.seconds(10)
  /// A random number from 0 up to 1.
  package var random: @Sendable () -> Double = { .random(in: 0..<1) }
  /// The time since some fixed moment.
  package var uptime: @Sendable () -> Duration
  /// Waits; false where the task was cancelled.
  package var sleep: @Sendable (Duration) async -> Bool

  /// Waits by the system's clock.
  package init() {
    let clock = ContinuousClock()
    let start = clock.now
    uptime = { start.duration(to: clock.now) }
    sleep = { duration in
      do {
        try await clock.sleep(for: duration)
        return true
      } catch {
        return false
      }
    }
  }

  /// The wait after so many failures in a row, and not before what the server said.
  func wait(afterFailures failures: Int, told: Duration?) -> Duration {
    let doublings = min(max(0, failures), 20)
    let ceiling = min(greatest, first * (1 << doublings))
    return (told ?? .zero) + ceiling * random()
  }

  /// The wait where the server said that it would refuse again: long, and not at one moment.
  func slowWait() -> Duration { greatest / 2 + greatest / 2 * random() }
}
