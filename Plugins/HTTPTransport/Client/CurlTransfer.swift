import CCurl
import Foundation

/// One request while curl works on it; it is made, used and freed on the client's thread.
final class CurlTransfer {
  let order: CurlOrder
  let easy: UnsafeMutableRawPointer
  /// The server's name and port, for errors.
  let host: String
  let options: CurlClientOptions
  /// The headers of the request, which curl reads while it sends.
  var headerList: UnsafeMutablePointer<curl_slist>?
  private let mailbox: CurlMailbox
  private let clock: ContinuousClock
  private var lastHeard: ContinuousClock.Instant
  private var head = HeadReader()
  private var body: [UInt8] = []
  private var chunks: AsyncStream<[UInt8]>.Continuation?
  /// Why the transfer was ended from within.
  private var failure: HTTPClientError?

  init?(
    _ order: CurlOrder, _ options: CurlClientOptions, _ mailbox: CurlMailbox,
    _ clock: ContinuousClock
  ) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.order = order
    self.options = options
    self.mailbox = mailbox
    self.clock = clock
    lastHeard = clock.now
    let parts = URLComponents(string: order.request.url)
    let name = parts?.host ?? "the server"
    host = parts?.port.map { "\(name):\($0)" } ?? name
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerList)
  }

  /// When a stream has been silent for too long; nil for a request.
  var silenceEnd: ContinuousClock.Instant? {
    order.isStream ? lastHeard.advanced(by: options.silenceLimit) : nil
  }

  /// Takes one line of the head; false ends the transfer.
  func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
    lastHeard = clock.now
    switch head.read(line) {
    case .more: return true
    case .tooLarge:
      failure = HTTPClientError(.unusable, "the head of the answer of \(host) is too large")
      return false
    case .complete(let response):
      if order.isStream {
        beginStream(response)
      } else if let length = response[header: "Content-Length"].flatMap(Int.init),
        length > order.request.bodyLimit
      {
        failure = .tooLarge(host, limit: order.request.bodyLimit)
        return false
      }
      return true
    }
  }

  private func beginStream(_ response: HTTPResponse) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [UInt8].self, bufferingPolicy: .bufferingOldest(options.waitingChunks))
    let (order, mailbox) = (order, mailbox)
    continuation.onTermination = { reason in
      if case .cancelled = reason { mailbox.post(.cancel(order)) }
    }
    chunks = continuation
    order.answer(HTTPStream(head: response, chunks: stream))
  }

  /// Takes a piece of the body; false ends the transfer.
  func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    lastHeard = clock.now
    if let chunks {
      if case .enqueued = chunks.yield(Array(bytes)) { return true }
      failure = HTTPClientError(.unusable, "the stream of \(host) was not read in time")
      return false
    }
    guard body.count + bytes.count <= order.request.bodyLimit else {
      failure = .tooLarge(host, limit: order.request.bodyLimit)
      return false
    }
    body.append(contentsOf: bytes)
    return true
  }

  /// What a result of curl means; nil for success.
  func error(for result: CURLcode) -> HTTPClientError? {
    if let failure { return failure }
    return result == CURLE_OK
      ? nil : HTTPClientError(CurlFailure(result, easy, host: host, options: options))
  }

  /// Answers whoever waits.
  func end(_ error: HTTPClientError?) {
    chunks?.finish()
    if let error {
      order.fail(error)
    } else if var response = head.response {
      response.body = body
      order.answer(response)
    } else {
      // curl takes a head for whole that ended with the connection.
      order.fail(head.hasBegun ? .broken(host) : .noHTTP(host))
    }
  }
}
