import Foundation
import StrandlineHTTPTransport
import StrandlineServer

/// A client that calls a server in the same process, with nothing between them.
struct CallClient: HTTPClient {
  private static let queue = DispatchQueue(label: "strandline-call", attributes: .concurrent)
  let desk: ServiceDesk

  func perform(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPResponse {
    let answer = try await answer(request)
    guard case .bytes(let bytes) = answer.body else {
      throw HTTPClientError(.unusable, "a stream was answered")
    }
    guard bytes.count <= request.bodyLimit else {
      throw HTTPClientError(.unusable, "the answer is too long")
    }
    return response(answer, bytes)
  }

  func stream(_ request: HTTPRequest) async throws(HTTPClientError) -> HTTPStream {
    let answer = try await answer(request)
    let (chunks, chunk) = AsyncStream.makeStream(of: [UInt8].self)
    switch answer.body {
    case .bytes(let bytes):
      chunk.yield(bytes)
      chunk.finish()
    case .events(let stream):
      stream.onWake { pass(stream, to: chunk) }
      chunk.onTermination = { _ in
        stream.onWake(nil)
        stream.close()
      }
    }
    return HTTPStream(head: response(answer, []), chunks: chunks)
  }

  private func answer(_ request: HTTPRequest) async throws(HTTPClientError) -> ServerAnswer {
    guard let url = URL(string: request.url), desk.server != nil else {
      throw HTTPClientError(.unreachable, "nobody is there")
    }
    let headers = Dictionary(
      request.headers.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 })
    let passed = ServerRequest(
      method: request.method, path: url.path, headers: headers, body: request.body,
      remoteAddress: "127.0.0.1")
    // A server blocks while it answers.
    let answer: ServerAnswer? = await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: desk.server?.answer(passed)) }
    }
    guard let answer else { throw HTTPClientError(.unreachable, "nobody is there any more") }
    return answer
  }

  private func response(_ answer: ServerAnswer, _ body: [UInt8]) -> HTTPResponse {
    HTTPResponse(
      status: answer.status,
      headers: answer.headers.map { HTTPRequest.Header($0.key, $0.value) }, body: body)
  }
}

/// Moves what waits in a stream on, until nothing does.
private func pass(_ stream: EventStream, to chunk: AsyncStream<[UInt8]>.Continuation) {
  while true {
    guard let bytes = stream.take(atMost: .max) else { return chunk.finish() }
    if bytes.isEmpty { return }
    chunk.yield(bytes)
  }
}
