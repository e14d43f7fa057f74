import Foundation

/// Connections to a server whose streams of hints are open.
struct OpenStreams: Sendable {
  private let descriptors: [Int32]

  /// Opens so many, and waits until the server has answered each.
  static func open(_ count: Int, address: String, token: String) async throws -> OpenStreams {
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      throw BenchError("Could not read the port of '\(address)'.", advice: "")
    }
    raiseLimit(to: count + 200)
    return try await withCheckedThrowingContinuation { continuation in
      // A thread of its own, since connecting and reading block.
      Thread {
        continuation.resume(
          with: Result { OpenStreams(descriptors: try connect(count, port: port, token: token)) })
      }.start()
    }
  }

  /// Hangs up.
  func close() {
    for descriptor in descriptors { Foundation.close(descriptor) }
  }

  private static func raiseLimit(to count: Int) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    setrlimit(resource, &limit)
  }

  private static func connect(
    _ count: Int, port: UInt16, token: String
  ) throws(BenchError) -> [Int32] {
    let request = Array(
      """
      GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n\r\n
      """.utf8)
    var descriptors: [Int32] = []
    func fail(_ what: String) -> BenchError {
      let reason = String(cString: strerror(errno))
      for descriptor in descriptors { Foundation.close(descriptor) }
      return BenchError(
        "Could not open \(count) streams, \(what) after \(descriptors.count): \(reason).",
        advice: "Raise the limit of open files with 'ulimit -n', or name fewer with --streams.")
    }
    for _ in 0..<count {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      guard descriptor >= 0 else { throw fail("there was no socket") }
      descriptors.append(descriptor)
      var address = sockaddr_in.loopback(port: port)
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected, write(descriptor, request, request.count) == request.count else {
        throw fail("the server did not take one")
      }
    }
    for descriptor in descriptors {
      var text = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      while !text.contains(": connected") {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { throw fail("one was closed") }
        text += String(decoding: buffer[..<count], as: UTF8.self)
        guard !text.hasPrefix("HTTP/1.1 5"), !text.hasPrefix("HTTP/1.1 4") else {
          throw fail("one was refused (\(text.prefix(12)))")
        }
      }
    }
    return descriptors
  }
}
