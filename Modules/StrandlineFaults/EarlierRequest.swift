import StrandlineTransport
import Synchronization

/// The request that a faulty transport was given last, which may arrive once more.
final class EarlierRequest: Sendable {
  private let last = Mutex<(@Sendable () async -> Void)?>(nil)

  /// Keeps a request and gives the one before it.
  func replace(
    with request: @escaping @Sendable () async throws(TransportError) -> Void
  ) -> (@Sendable () async -> Void)? {
    let again: @Sendable () async -> Void = {
      do throws(TransportError) {
        try await request()
      } catch {
        // Nobody waits for the answer of a request that was answered before.
        return
      }
    }
    return last.withLock { last in
      let before = last
      last = again
      return before
    }
  }
}
