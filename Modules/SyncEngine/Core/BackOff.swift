/// How long to wait before the next attempt: longer each time, and at random within that.
///
/// Full jitter, as in Brooker, "Exponential Backoff And Jitter" (2015): devices that failed at
/// one moment must not come back at one moment.
package struct BackOff: Sendable {
  package var firstMilliseconds: Int64 = 1000
  package var greatestMilliseconds: Int64 = 300_000

  package init() {}

  /// The wait after so many failures in a row, given a random number from 0 up to 1.
  package func wait(afterFailures failures: Int, random: Double) -> Int64 {
    let doublings = min(max(0, failures - 1), 20)
    let ceiling = min(greatestMilliseconds, firstMilliseconds << Int64(doublings))
    return ceiling / 2 + Int64(Double(ceiling / 2) * random)
  }
}
