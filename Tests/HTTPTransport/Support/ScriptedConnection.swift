import Foundation
import Synchronization

/// One connection of a ``ScriptedServer``.
final class ScriptedConnection: Sendable {
  private let descriptor: Int32
  private let isOpen = Mutex(true)
  private let unread = Mutex<[UInt8]>([])

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Sends bytes; false where the other side has gone.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(
          descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent,
          Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Sends text; false where the other side has gone.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends a whole answer that a client can only like.
  func answer(_ status: Int = 200, _ headers: [String: String] = [:], _ body: [UInt8] = []) {
    var head = "HTTP/1.1 \(status) Status\r\nContent-Length: \(body.count)\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    send(Array((head + "\r\n").utf8) + body)
  }

  /// Waits until the other side has closed the connection.
  func waitForClose() {
    while readMore() {}
  }

  /// Closes the connection.
  func close() {
    isOpen.withLock { isOpen in
      guard isOpen else { return }
      isOpen = false
      Foundation.close(descriptor)
    }
  }

  /// Closes the connection so that the other side sees it broken, and not ended.
  func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Lets every thread that waits for the connection go on.
  func end() {
    isOpen.withLock { isOpen in
      if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  // MARK: Reading

  /// Reads the next request; nil where the connection has ended.
  func readRequest() -> ScriptedRequest? {
    while true {
      let bytes = unread.withLock { $0 }
      if let end = Self.headEnd(bytes) {
        var request = Self.head(Array(bytes[..<end]))
        let length = Int(request.headers["content-length"] ?? "0") ?? 0
        if bytes.count >= end + length {
          request.body = Array(bytes[end..<(end + length)])
          unread.withLock { $0.removeFirst(end + length) }
          return request
        }
      }
      guard readMore() else { return nil }
    }
  }

  private func readMore() -> Bool {
    guard isOpen.withLock({ $0 }) else { return false }
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    unread.withLock { $0 += buffer[..<count] }
    return true
  }

  private static func headEnd(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 3..<bytes.count where bytes[index] == 10 && bytes[index - 2] == 10 {
      return index + 1
    }
    return nil
  }

  private static func head(_ bytes: [UInt8]) -> ScriptedRequest {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    var request = ScriptedRequest()
    request.method = words.first.map(String.init) ?? ""
    request.path = words.dropFirst().first.map(String.init) ?? ""
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    return request
  }
}
