import CMicroHTTPD
import Foundation

// How an answer is handed to the library.
extension HTTPFrontEnd {
  /// Refuses a request whose end is not certain, and closes the connection.
  func refuse(
    _ exchange: HTTPExchange, _ handle: OpaquePointer, _ status: Int, _ message: String,
    after seconds: Int? = nil
  ) -> MHD_Result {
    var answer = service.refuse(status, message, retryAfterSeconds: seconds)
    answer.headers["Connection"] = "close"
    return reply(exchange, handle, answer)
  }

  /// Sends an answer.
  func reply(
    _ exchange: HTTPExchange, _ handle: OpaquePointer, _ answer: ServerAnswer
  ) -> MHD_Result {
    var answer = answer
    if !outgoing.take(answer.byteCount) {
      answer = service.refuse(
        503, "Could not answer, too many answers are on their way.", retryAfterSeconds: 2)
      outgoing.takeAnyway(answer.byteCount)
    }
    let (request, bytesIn) = (exchange.request, exchange.receivedBytes)
    guard let response = makeResponse(exchange, answer) else { return strand_http_no }
    defer { MHD_destroy_response(response) }
    for (name, value) in answer.headers { MHD_add_response_header(response, name, value) }
    // A connection whose stream has ended is of no more use, and its reader waits for the end.
    if isStopping || answer.isStream { MHD_add_response_header(response, "Connection", "close") }
    if let request { note(request, bytesIn: bytesIn, answer, since: exchange.began) }
    return MHD_queue_response(handle, UInt32(clamping: answer.status), response)
  }

  private func makeResponse(_ exchange: HTTPExchange, _ answer: ServerAnswer) -> OpaquePointer? {
    switch answer.body {
    case .bytes(let bytes):
      exchange.replies(outgoing: bytes.count, stream: nil)
      exchange.connection.answerBegins(bytes.count, at: options.now())
      return bytes.withUnsafeBytes { strand_http_bytes($0.baseAddress, $0.count) }
    case .events(let stream):
      exchange.replies(outgoing: 0, stream: stream)
      exchange.connection.streamBegins(
        stream, socketBytes: options.limits.streamSocketBytes)
      stream.onWake { exchange.resume() }
      let reader = StreamReader(exchange: exchange, stream: stream)
      return strand_http_stream(
        256, readStream, Unmanaged.passRetained(reader).toOpaque(), releaseStream)
    }
  }

  private func note(
    _ request: ServerRequest, bytesIn: Int, _ answer: ServerAnswer,
    since began: ContinuousClock.Instant
  ) {
    guard let log else { return }
    let elapsed = ContinuousClock.now - began
    let (seconds, attoseconds) = elapsed.components
    log.record(
      request, bytesIn: bytesIn, answer,
      microseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
  }
}

/// What the library reads a stream of events through.
private final class StreamReader {
  let exchange: HTTPExchange
  let stream: EventStream

  init(exchange: HTTPExchange, stream: EventStream) {
    self.exchange = exchange
    self.stream = stream
  }
}

private func readStream(
  _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?,
  _ room: Int
) -> Int {
  guard let context, let buffer else { return strand_http_end_of_stream }
  let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
  guard let bytes = reader.stream.take(atMost: room) else { return strand_http_end_of_stream }
  if bytes.isEmpty {
    // Where something came since, the stream has resumed the connection already, and the library
    // takes the two together for nothing and reads again.
    reader.exchange.suspend()
    return 0
  }
  UnsafeMutableRawPointer(buffer).copyMemory(from: bytes, byteCount: bytes.count)
  return bytes.count
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<StreamReader>.fromOpaque(context).release()
}
