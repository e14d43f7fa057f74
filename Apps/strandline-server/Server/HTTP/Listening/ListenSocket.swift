import Foundation

/// A socket that listens.
struct ListenSocket: Sendable {
  /// The descriptor.
  let descriptor: Int32
  /// The real address, whose port is never 0.
  let address: ListenAddress

  /// Begins to listen.
  ///
  /// - Throws: `address` where the system refuses it.
  init(_ wanted: ListenAddress) throws(ServeError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(wanted.host, String(wanted.port), &hints, &list)
    guard result == 0, let found = list else {
      throw Self.refused(wanted, String(cString: gai_strerror(result)))
    }
    defer { freeaddrinfo(found) }
    let socket = Foundation.socket(
      found.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw Self.refused(wanted, Self.reason()) }
    // A server that is started again right away may take its port back.
    var on: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(socket, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0,
      listen(socket, Self.backlog) == 0, let port = Self.port(of: socket)
    else {
      let reason = Self.reason()
      close(socket)
      throw Self.refused(wanted, reason)
    }
    // The event loop's threads all wait for it, and all but one find nothing.
    _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK)
    descriptor = socket
    address = ListenAddress(host: wanted.host, port: port)
  }

  /// How many connections wait to be accepted; all devices may come at once after a restart.
  private static let backlog: Int32 = 4096

  private static func port(of socket: Int32) -> UInt16? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(socket, $0, &length)
      }
    }
    guard result == 0 else { return nil }
    return SocketAddress(storage).port
  }

  private static func reason() -> String { String(cString: strerror(errno)) }

  private static func refused(_ address: ListenAddress, _ reason: String) -> ServeError {
    ServeError(
      .address, "Could not listen at \(address), the system says '\(reason)'.",
      advice: "Choose another address with --listen, or end the program that uses it.")
  }
}

/// The other side's or the own address of a socket in words.
struct SocketAddress: Sendable {
  /// The numeric address.
  let host: String
  /// The port.
  let port: UInt16

  init(_ storage: sockaddr_storage) {
    var storage = storage
    self = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { SocketAddress(reading: $0) }
    }
  }

  init(reading address: UnsafePointer<sockaddr>) {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let bytes: UnsafeRawPointer = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      var v4 = bytes.loadUnaligned(as: sockaddr_in.self)
      inet_ntop(AF_INET, &v4.sin_addr, &text, socklen_t(text.count))
      port = UInt16(bigEndian: v4.sin_port)
    case AF_INET6:
      var v6 = bytes.loadUnaligned(as: sockaddr_in6.self)
      inet_ntop(AF_INET6, &v6.sin6_addr, &text, socklen_t(text.count))
      port = UInt16(bigEndian: v6.sin6_port)
    default: port = 0
    }
    host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
