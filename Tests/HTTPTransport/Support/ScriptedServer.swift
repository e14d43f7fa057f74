import Foundation
import Synchronization

/// A server on raw sockets that answers whatever a test wants, also what no server should.
///
/// Each connection has a thread of its own, on which the script runs once for every request.
final class ScriptedServer: Sendable {
  /// What the script does with a request; it may block.
  typealias Script = @Sendable (ScriptedRequest, ScriptedConnection) -> Void

  private struct State {
    var requests: [ScriptedRequest] = []
    var connections: [ScriptedConnection] = []
    var isStopped = false
  }

  /// What the threads share; they must not keep the server alive.
  private final class Core: Sendable {
    let state = Mutex(State())
    let greeting: String
    let script: Script

    init(_ greeting: String, _ script: @escaping Script) {
      self.greeting = greeting
      self.script = script
    }
  }

  private let core: Core
  private let listener: Int32
  /// The port that the system chose.
  let port: Int

  /// Starts to listen on a free port of the loopback interface.
  ///
  /// - Parameters:
  ///   - greeting: What each connection is told before it says anything.
  ///   - script: What is done with a request.
  /// - Throws: The system's error where no port is free.
  init(greeting: String = "", _ script: @escaping Script) throws {
    core = Core(greeting, script)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 256) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread { [core, listener] in Self.accept(listener, core) }
  }

  deinit { stop() }

  /// Closes everything; the port answers nobody any more.
  func stop() {
    let connections = core.state.withLock { state in
      defer { state.isStopped = true }
      return state.isStopped ? nil : state.connections
    }
    guard let connections else { return }
    // Its thread closes it, since the number of a closed one may be somebody else's already.
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in connections { connection.end() }
  }

  /// The address of the server.
  var url: String { "http://127.0.0.1:\(port)" }

  /// All requests so far.
  var requests: [ScriptedRequest] { core.state.withLock { $0.requests } }

  /// How many connections were made so far.
  var connectionCount: Int { core.state.withLock { $0.connections.count } }

  private static func accept(_ listener: Int32, _ core: Core) {
    defer { close(listener) }
    while true {
      let descriptor = Foundation.accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let connection = ScriptedConnection(descriptor)
      let isStopped = core.state.withLock { state in
        state.connections.append(connection)
        return state.isStopped
      }
      if isStopped { return connection.end() }
      Thread.detachNewThread { serve(connection, core) }
    }
  }

  private static func serve(_ connection: ScriptedConnection, _ core: Core) {
    if !core.greeting.isEmpty { connection.send(core.greeting) }
    while let request = connection.readRequest() {
      core.state.withLock { $0.requests.append(request) }
      core.script(request, connection)
    }
    connection.close()
  }
}

/// A request as it came.
struct ScriptedRequest: Hashable, Sendable {
  var method = ""
  var path = ""
  /// By name in lower case.
  var headers: [String: String] = [:]
  var body: [UInt8] = []
}
