import CMicroHTTPD
import Foundation

// How a request goes on, on the event loop's threads: nothing here blocks.
extension HTTPFrontEnd {
  /// Notes a new connection.
  func connectionStarted(_ handle: OpaquePointer) -> HTTPConnection {
    let remote = strand_http_address(handle).map { SocketAddress(reading: $0).host } ?? ""
    return connections.add { count in
      HTTPConnection(
        socket: strand_http_socket(handle), remoteAddress: remote,
        isSurplus: count >= options.limits.connections, timing: options.timing,
        now: options.now())
    }
  }

  /// Looks at the head of a request, before anything of its body is read.
  func begin(
    _ exchange: HTTPExchange, _ handle: OpaquePointer, _ head: RequestHead
  ) -> MHD_Result {
    let request = head.request(from: exchange.connection.remoteAddress)
    exchange.request = request
    if let fault = WireFault.found(in: head, limits: options.limits) {
      return refuse(exchange, handle, fault.status, fault.message)
    }
    guard head.hasBody else {
      // The library closes a connection on which an answer comes before the end of a request, so
      // it is asked to call once more.
      exchange.step = .whole
      return strand_http_yes
    }
    if let refusal = refusalInBadTimes(exchange, handle) { return refusal }
    _ = wait(exchange) { front in
      let refusal = front.service.refusal(ofHead: request, bodyBytes: head.bodyBytes)
      exchange.proceed(to: refusal.map { .answered($0) } ?? .admitted)
    }
    return strand_http_yes
  }

  /// Answers a request that has no body.
  private func answer(_ exchange: HTTPExchange, _ handle: OpaquePointer) -> MHD_Result {
    guard let request = exchange.request else { return strand_http_no }
    if let answer = service.answerAtOnce(request) { return reply(exchange, handle, answer) }
    if let refusal = refusalInBadTimes(exchange, handle) { return refusal }
    _ = wait(exchange) { front in
      exchange.proceed(to: .answered(front.service.answer(request)))
    }
    return strand_http_yes
  }

  /// Refuses what comes while the server stops or too many are connected.
  private func refusalInBadTimes(
    _ exchange: HTTPExchange, _ handle: OpaquePointer
  ) -> MHD_Result? {
    if isStopping {
      return refuse(
        exchange, handle, 503, "Could not take the request, the server is stopping.", after: 5)
    }
    guard exchange.connection.isSurplus else { return nil }
    return refuse(
      exchange, handle, 503, "Could not take the request, too many are connected.", after: 10)
  }

  /// Goes on where a worker is done, or where something of the body has come.
  func goOn(
    with exchange: HTTPExchange, _ handle: OpaquePointer, _ bytes: UnsafeRawBufferPointer
  ) -> MHD_Result {
    switch exchange.step {
    case .whole: return self.answer(exchange, handle)
    case .answered(let answer): return reply(exchange, handle, answer)
    case .admitted:
      exchange.step = .body
      exchange.connection.bodyBegins(at: options.now())
      return strand_http_yes
    case .body where !bytes.isEmpty: return take(bytes, of: exchange)
    case .body: return bodyEnded(exchange, handle)
    // After an answer to the head the library drops what still comes of the body.
    case .replied: return strand_http_yes
    // The library does not ask while a connection is suspended.
    case .head, .waiting: return strand_http_yes
    }
  }

  private func take(
    _ bytes: UnsafeRawBufferPointer, of exchange: HTTPExchange
  ) -> MHD_Result {
    exchange.connection.bodyCame(bytes.count)
    let size = exchange.bodyBytes + bytes.count
    if exchange.isBodyTooLarge { return strand_http_yes }
    let limit = exchange.request.map { service.bodyLimit(at: $0.path) } ?? 0
    guard size <= limit, incoming.take(bytes.count) else {
      // The library takes no answer before the end of a body. The least rate and the deadline
      // bound what still comes.
      incoming.give(exchange.dropBody())
      return strand_http_yes
    }
    exchange.append(bytes)
    return strand_http_yes
  }

  private func bodyEnded(_ exchange: HTTPExchange, _ handle: OpaquePointer) -> MHD_Result {
    if exchange.isBodyTooLarge {
      return refuse(
        exchange, handle, 413, "Could not take the request, its body is too large.")
    }
    guard let request = exchange.takeRequest() else { return strand_http_no }
    let isTaken = wait(exchange) { front in
      let answer = front.service.answer(request)
      front.incoming.give(request.body.count)
      exchange.proceed(to: .answered(answer))
    }
    if !isTaken { incoming.give(request.body.count) }
    return strand_http_yes
  }

  /// Suspends a connection while a worker is at it.
  ///
  /// It is suspended first: a worker that is done before would resume what is not suspended yet,
  /// and the library would read the body without asking again.
  ///
  /// - Returns: Whether a worker will be at it.
  private func wait(
    _ exchange: HTTPExchange, _ job: @escaping @Sendable (HTTPFrontEnd) -> Void
  ) -> Bool {
    exchange.step = .waiting
    exchange.connection.isWorking { [service] in
      exchange.proceed(
        to: .answered(
          service.refuse(
            503, "Could not answer in time, the server is stopping.", retryAfterSeconds: 5)))
    }
    exchange.suspend()
    if workers.submit({ [self] in job(self) }) { return true }
    exchange.proceed(
      to: .answered(
        service.refuse(
          503, "Could not take the request, too many others wait.", retryAfterSeconds: 2)))
    return false
  }

  /// Notes that a request has ended, for whatever reason.
  func completed(_ exchange: HTTPExchange) {
    let remains = exchange.end()
    incoming.give(remains.incoming)
    outgoing.give(remains.outgoing)
    remains.stream?.leave()
    exchange.connection.requestEnded(at: options.now())
  }
}
