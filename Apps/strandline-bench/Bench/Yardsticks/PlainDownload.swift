import CCurl
import Foundation

/// The yardstick *copy*: so many bytes over a plain HTTP download on the loopback.
///
/// The other end does nothing but write them to the connection.
enum PlainDownload {
  /// Downloads so many bytes once.
  ///
  /// - Returns: The seconds; nil where the system gave no socket.
  static func seconds(bytes count: Int) async -> Double? {
    guard let listener = Listener() else { return nil }
    // A thread of its own, since accepting and writing block.
    Thread { listener.serveOnce(bytes: count) }.start()
    return await withCheckedContinuation { continuation in
      Thread { continuation.resume(returning: download(port: listener.port)) }.start()
    }
  }

  private static func download(port: UInt16) -> Double? {
    guard let easy = curl_easy_init() else { return nil }
    defer { curl_easy_cleanup(easy) }
    _ = "http://127.0.0.1:\(port)/".withCString { strand_curl_set_text(easy, CURLOPT_URL, $0) }
    let ignore: strand_curl_receiver = { _, size, count, _ in size * count }
    _ = strand_curl_set_receivers(easy, ignore, ignore, nil)
    let start = ContinuousClock.now
    guard curl_easy_perform(easy) == CURLE_OK else { return nil }
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// A socket that answers one request.
  private struct Listener: Sendable {
    let descriptor: Int32
    let port: UInt16

    init?() {
      let made = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard made >= 0 else { return nil }
      var address = sockaddr_in.loopback(port: 0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(made, $0, length) == 0 && listen(made, 1) == 0
            && getsockname(made, $0, &length) == 0
        }
      }
      guard isBound else {
        close(made)
        return nil
      }
      descriptor = made
      port = UInt16(bigEndian: address.sin_port)
    }

    func serveOnce(bytes count: Int) {
      defer { close(descriptor) }
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      defer { close(connection) }
      var buffer = [UInt8](repeating: 0x5A, count: 1 << 18)
      guard read(connection, &buffer, buffer.count) > 0 else { return }
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n".utf8)
      guard write(connection, head, head.count) == head.count else { return }
      var left = count
      while left > 0 {
        let written = write(connection, buffer, min(left, buffer.count))
        guard written > 0 else { return }
        left -= written
      }
    }
  }
}

extension sockaddr_in {
  /// An address on this machine's loopback.
  static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
