import CMicroHTTPD
import Foundation
import Synchronization

/// Brings requests from sockets to whoever answers them.
///
/// The library's threads wait for sockets and do nothing that blocks; a few threads of this
/// class answer. See ``HTTPExchange`` for how they take turns.
package final class HTTPFrontEnd: Sendable {
  let options: FrontOptions
  let service: any RequestAnswering
  let log: RequestLog?
  let connections: Connections
  let workers: WorkerPool
  let incoming: ByteBudget
  let outgoing: ByteBudget
  private let socket: ListenSocket
  private let state = Mutex(State())

  private struct State {
    /// The library's server as a number.
    var daemon: Int?
    var isStopping = false
  }

  /// Begins to listen and to answer.
  ///
  /// - Parameters:
  ///   - options: Where and how.
  ///   - service: Who answers.
  ///   - log: Who is told of each request.
  /// - Throws: Why that is not possible.
  package init(
    _ options: FrontOptions, service: any RequestAnswering, log: RequestLog? = nil
  ) throws(ServeError) {
    var options = options
    let descriptors = DescriptorLimit.raise()
    // Some are for the database and for what is open for a moment.
    let room = max(16, descriptors - options.limits.surplusConnections - 128)
    options.limits.connections = min(options.limits.connections, room)
    self.options = options
    self.service = service
    self.log = log
    connections = Connections(now: options.now)
    incoming = ByteBudget(limit: options.limits.incomingBytes)
    outgoing = ByteBudget(limit: options.limits.outgoingBytes)
    socket = try ListenSocket(options.address)
    workers = WorkerPool(
      threads: options.limits.workers, limit: options.limits.waitingRequests)
    try start()
    connections.startSweeping(every: options.timing.sweep)
  }

  /// Where it listens, with the real port.
  package var address: ListenAddress { socket.address }

  /// The address as people write it.
  package var url: String { "\(options.identity == nil ? "http" : "https")://\(address)" }

  /// How many connections there are.
  package var connectionCount: Int { connections.count }

  /// The bytes of bodies that are being read.
  package var incomingBytes: Int { incoming.used }

  /// The bytes of answers that are being sent.
  package var outgoingBytes: Int { outgoing.used }

  /// Whether it takes no more requests.
  var isStopping: Bool { state.withLock { $0.isStopping } }

  private func start() throws(ServeError) {
    var setup = strand_http_setup()
    setup.socket = socket.descriptor
    setup.threads = UInt32(clamping: options.limits.eventThreads)
    setup.connections = UInt32(
      clamping: options.limits.connections + options.limits.surplusConnections)
    setup.connection_memory = options.limits.connectionMemory
    setup.context = Unmanaged.passRetained(self).toOpaque()
    setup.accept = acceptConnection
    setup.handle = handleRequest
    setup.completed = requestCompleted
    setup.connection = connectionChanged
    setup.begun = requestBegan
    setup.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
    let daemon = start(&setup)
    guard let daemon else {
      Unmanaged<HTTPFrontEnd>.fromOpaque(setup.context).release()
      close(socket.descriptor)
      workers.end()
      throw options.identity == nil ? Self.noResources : Self.badIdentity
    }
    state.withLock { $0.daemon = Int(bitPattern: daemon) }
  }

  private func start(_ setup: inout strand_http_setup) -> OpaquePointer? {
    guard let identity = options.identity else { return strand_http_start(&setup) }
    // The library reads both while it starts and keeps neither.
    return identity.certificate.withCString { certificate in
      identity.key.withCString { key in
        setup.certificate = certificate
        setup.key = key
        return strand_http_start(&setup)
      }
    }
  }

  private static let noResources = ServeError(
    .resources, "Could not start the server, the system gives no more threads or files.",
    advice: "Allow the process more of them.")
  private static let badIdentity = ServeError(
    .certificate, "Could not start the server, the certificate and its key cannot be used.",
    advice: "Name a certificate and the key that belongs to it, both in PEM.")
}

extension HTTPFrontEnd {
  /// Stops: accepts nobody, lets what runs come to its end for a while, and closes everything.
  ///
  /// - Parameter closeStreams: Ends all streams of events.
  package func stop(closeStreams: () -> Void) {
    let daemon = state.withLock { state -> Int? in
      defer { (state.isStopping, state.daemon) = (true, nil) }
      return state.daemon
    }
    guard let daemon = daemon.flatMap(OpaquePointer.init(bitPattern:)) else { return }
    // From here on each new connection is closed at once, see `acceptConnection`. The library's
    // own way to stop accepting races with its threads: both take the socket out of the waiting
    // set, and the second one that does ends the process.
    closeStreams()
    let end = options.now() + Int64(options.timing.stop)
    while connections.isAnyBusy || !workers.isIdle, options.now() < end {
      Thread.sleep(forTimeInterval: 0.005)
    }
    // The library must not stop while a connection is suspended, so all of them are cut and woken.
    connections.cutAll()
    let last = options.now() + Int64(options.timing.stop)
    while connections.isAnyBusy, options.now() < last { Thread.sleep(forTimeInterval: 0.005) }
    connections.endSweeping()
    workers.end()
    // This closes the listening socket, too.
    MHD_stop_daemon(daemon)
    Unmanaged.passUnretained(self).release()
  }
}
