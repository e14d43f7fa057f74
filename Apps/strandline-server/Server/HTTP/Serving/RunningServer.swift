import Foundation
import Synchronization

/// A server with everything that runs beside it: sockets, the watch over its file, its clock.
package final class RunningServer<Storage: ServerStorage>: Sendable {
  /// The server itself.
  package let server: Server<Storage>
  /// Its sockets.
  package let front: HTTPFrontEnd
  private let log: RequestLog?
  private let chores: Chores

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - storage: Where everything is kept.
  ///   - options: How to serve.
  ///   - tokenHash: The hash under which a token is kept; nil for text that is no token.
  /// - Throws: `ServeError` where it cannot listen, and what the storage throws.
  package init(
    _ storage: Storage, _ options: ServeOptions,
    tokenHash: @escaping @Sendable (String) -> [UInt8]?
  ) throws {
    let hosts = HostCheck(listeningAt: options.front.address, names: options.hosts)
    let server = try Server(
      storage: storage, limits: options.limits, hosts: hosts, clock: options.clock,
      random: SystemRandomNumberGenerator(), tokenHash: tokenHash)
    self.server = server
    log = try Self.makeLog(options)
    front = try HTTPFrontEnd(options.front, service: server, log: log)
    chores = Chores(
      tickMilliseconds: options.tickMilliseconds, watchedFile: options.watchedFile,
      tick: { server.tick() }, look: { server.lookForForeignChanges() })
  }

  private static func makeLog(_ options: ServeOptions) throws -> RequestLog? {
    guard options.isLogging else { return nil }
    guard let file = options.logFile else { return RequestLog(clock: options.clock) }
    return try RequestLog(file: file, clock: options.clock)
  }

  /// Stops: accepts nobody, lets what runs come to its end, and ends all streams; it blocks.
  package func stop() {
    chores.end()
    front.stop { server.closeStreams() }
    log?.end()
  }
}
