import Foundation
import Synchronization

/// All connections, and the thread that looks after them.
final class Connections: Sendable {
  private let all = Mutex<[ObjectIdentifier: HTTPConnection]>([:])
  private let isEnded = Mutex(false)
  private let now: @Sendable () -> Int64

  init(now: @escaping @Sendable () -> Int64) {
    self.now = now
  }

  /// How many there are.
  var count: Int { all.withLock { $0.count } }

  /// Whether one is in the middle of a request.
  var isAnyBusy: Bool { snapshot.contains(where: \.isBusy) }

  /// Adds one that was made for the number of those that are there.
  func add(_ make: (Int) -> HTTPConnection) -> HTTPConnection {
    all.withLock { all in
      let connection = make(all.count)
      all[ObjectIdentifier(connection)] = connection
      return connection
    }
  }

  /// Forgets one.
  func remove(_ connection: HTTPConnection) {
    all.withLock { $0[ObjectIdentifier(connection)] = nil }
  }

  /// Cuts all of them off.
  func cutAll() {
    for connection in snapshot { Self.wake(connection.cut()) }
  }

  /// Starts the thread that cuts off those whose time is over.
  func startSweeping(every milliseconds: Int) {
    let thread = Thread { [weak self] in
      while let self, !isEnded.withLock({ $0 }) {
        sweep()
        Thread.sleep(forTimeInterval: Double(milliseconds) / 1000)
      }
    }
    thread.name = "strandline.sweep"
    thread.start()
  }

  /// Ends the thread.
  func endSweeping() {
    isEnded.withLock { $0 = true }
  }

  private func sweep() {
    let time = now()
    for connection in snapshot { Self.wake(connection.look(at: time)) }
  }

  private var snapshot: [HTTPConnection] { all.withLock { Array($0.values) } }

  /// The library does not see that the socket of a connection at rest was shut.
  private static func wake(_ finding: HTTPConnection.Finding) {
    if case .restingCut(let wake) = finding { wake() }
  }
}
