import Foundation
import Synchronization

/// An HTTP client on libcurl: one thread of its own for any number of transfers at once.
///
/// Connections are kept and used again. Redirects are not followed, other protocols than HTTP are
/// refused, and a server that cannot prove who it is gets nothing. When the task that waits is
/// cancelled, the transfer ends at once.
public final class CurlClient: HTTPClient {
  private let options: CurlClientOptions
  private let mailbox = CurlMailbox()
  private let hasThread = Mutex(false)
  private let threadEnd = DispatchSemaphore(value: 0)

  /// Makes a client; nothing happens before the first request.
  public init(options: CurlClientOptions = CurlClientOptions()) {
    self.options = options
  }

  // The thread keeps the mailbox and never the client, so this runs on another thread; and it
  // never waits for a network or a name server when it is told to end, so this takes no time.
  deinit {
    mailbox.close()
    if hasThread.withLock({ $0 }) { threadEnd.wait() }
  }

  /// Ends all transfers and the thread; every further request fails.
  public func shutdown() async {
    mailbox.close()
    if hasThread.withLock({ $0 }) { await mailbox.end() }
  }

  /// Sends a request and waits for the whole answer.
  public func perform(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    let order = CurlOrder(request, isStream: false)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        order.expect(.whole(continuation))
        begin(order)
      }
    } onCancel: {
      cancel(order)
    }
    return try result.get()
  }

  /// Sends a request and returns when the answer's head has come, while its body goes on coming.
  ///
  /// A reader that lets too many pieces wait loses the stream; it ends as if the connection had.
  public func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream {
    let order = CurlOrder(request, isStream: true)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        order.expect(.stream(continuation))
        begin(order)
      }
    } onCancel: {
      cancel(order)
    }
    return try result.get()
  }

  private func begin(_ order: CurlOrder) {
    guard mailbox.post(.begin(order)) else { return order.fail(.shutDown) }
    hasThread.withLock { hasThread in
      if !hasThread { startThread() }
      hasThread = true
    }
  }

  private func startThread() {
    let (options, mailbox, threadEnd) = (options, mailbox, threadEnd)
    let thread = Thread {
      CurlThread.run(options, mailbox)
      threadEnd.signal()
    }
    thread.name = "strandline-http"
    thread.start()
  }

  private func cancel(_ order: CurlOrder) {
    order.cancel()
    mailbox.post(.cancel(order))
  }
}
