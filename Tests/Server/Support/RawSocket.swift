import Foundation

/// A connection on which a test sends any bytes; every wait ends within a minute.
///
/// It blocks on a queue of its own, never on a thread of the tests.
final class RawSocket: Sendable {
  private let descriptor: Int32
  private let queue = DispatchQueue(label: "raw-socket")

  /// Connects to a port of this machine.
  static func connect(to port: UInt16, receiveBuffer: Int32? = nil) async throws -> RawSocket {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try RawSocket(port, receiveBuffer) })
      }
    }
  }

  private init(_ port: UInt16, _ receiveBuffer: Int32?) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw POSIXError(.EMFILE) }
    var bound = timeval(tv_sec: 60, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &bound, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &bound, size)
    if var bytes = receiveBuffer {
      setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  deinit {
    close(descriptor)
  }

  private func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable (Int32) throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { [self] in
        continuation.resume(with: Swift.Result { try body(descriptor) })
      }
    }
  }

  /// Sends bytes; false where the other side takes no more.
  @discardableResult func send(_ bytes: [UInt8]) async throws -> Bool {
    try await onQueue { descriptor in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Sends text.
  @discardableResult func send(_ text: String) async throws -> Bool {
    try await send(Array(text.utf8))
  }

  /// Says that nothing more is sent.
  func finishSending() async throws {
    try await onQueue { _ = shutdown($0, Int32(SHUT_WR)) }
  }

  /// Receives what comes next; nil at the end.
  func receive() async throws -> [UInt8]? {
    try await onQueue { descriptor in
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0, errno == EAGAIN { throw POSIXError(.ETIMEDOUT) }
      return count > 0 ? Array(buffer.prefix(count)) : nil
    }
  }

  /// Receives until some text has come; what came is returned.
  ///
  /// - Throws: Where the connection ends before.
  func receive(until text: String) async throws -> String {
    var received: [UInt8] = []
    while !String(decoding: received, as: UTF8.self).contains(text) {
      guard let more = try await receive() else {
        throw UnexpectedAnswer(
          description: "It ended after '\(String(decoding: received, as: UTF8.self))'.")
      }
      received += more
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// Receives everything to the end of the connection.
  func receiveAll() async throws -> String {
    var received: [UInt8] = []
    while let more = try await receive() { received += more }
    return String(decoding: received, as: UTF8.self)
  }

  /// Receives one whole answer that gives its length.
  func receiveAnswer() async throws -> RawAnswer {
    var received: [UInt8] = []
    while true {
      if let answer = RawAnswer(received) { return answer }
      guard let more = try await receive() else {
        throw UnexpectedAnswer(
          description: "It ended after '\(String(decoding: received, as: UTF8.self))'.")
      }
      received += more
    }
  }
}

/// An answer as it came.
struct RawAnswer: Sendable {
  let status: Int
  let headers: [String: String]
  let body: [UInt8]

  /// Reads an answer, or nil where it is not complete.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
      .split(separator: "\r\n").map(String.init)
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      headers[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
    }
    let body = Array(bytes[end.upperBound...])
    guard body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 else { return nil }
    self.status = status
    self.headers = headers
    self.body = body
  }
}
