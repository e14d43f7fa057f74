import Foundation
import Strandline
import StrandlineModels
import StrandlineREPL
import StrandlineStatus
import StrandlineStorage
import StrandlineSyncEngine
import StrandlineTestSupport
import StrandlineTransport
import Synchronization
import Testing

/// Nothing is reached by accident (7.6): without a word about transports there is none.
struct NoTransportTests {
  /// A registry whose transport must never be made.
  private final class Trap: Sendable {
    private let made = Mutex(0)
    var count: Int { made.withLock(\.self) }

    var registry: Registry {
      Registry([
        TransportKind(name: "trap", addressForm: "trap") { _ throws(TransportError) in
          self.made.withLock { $0 += 1 }
          throw TransportError(.invalidRequest, "Could not be made.", remedy: .stop)
        }
      ])
    }
  }

  private func open(_ folder: TemporaryFolder, _ trap: Trap) async throws -> SyncedStore {
    try await SyncedStore.open(
      .file(folder.path("store.sqlite")), schema: SampleSchema.todo(), registry: trap.registry,
      options: SyncEngine.Options(deviceName: "a"))
  }

  @Test func `a store of which nobody named a transport has no engine, lease or peer`()
    async throws
  {
    let (folder, trap) = (try TemporaryFolder(), Trap())
    let synced = try await open(folder, trap)
    try await synced.store.write { try $0.save(TodoItem("milk")) }

    let error = await #expect(throws: SyncError.self) { try await synced.syncNow() }

    #expect(error?.code == .switchedOff)
    #expect(trap.count == 0)
    #expect(await synced.transports.isEmpty)
    #expect(await synced.engines.isEmpty)
    #expect(try await synced.store.peerItems().isEmpty)
    #expect(try await synced.store.status(deviceName: "a").map(\.standing) == [.off])
    #expect(try await synced.store.events().isEmpty)
    let names = try folder.names(in: ".")
    #expect(
      names.allSatisfy { $0.hasPrefix("store.sqlite") && !$0.hasSuffix("-lease") }, "\(names)")
  }

  @Test func `the transport none is followed by following nothing`() async throws {
    let (folder, trap) = (try TemporaryFolder(), Trap())
    let synced = try await open(folder, trap)
    let none = TransportConfiguration(specification: .none)

    try await synced.use(none)
    #expect(try await !synced.follow(none))

    #expect(trap.count == 0)
    #expect(await synced.engines.isEmpty)
    #expect(try await synced.store.peerItems().isEmpty)
    #expect(try await synced.store.read { try $0.syncSwitch().isWanted } == false)
  }

  @Test func `to run in the background without a transport does nothing until it is cancelled`()
    async throws
  {
    let (folder, trap) = (try TemporaryFolder(), Trap())
    let synced = try await open(folder, trap)
    let reports = Mutex(0)
    let running = Task { await synced.run { _ in reports.withLock { $0 += 1 } } }
    try await synced.store.write { try $0.save(TodoItem("milk")) }
    running.cancel()
    await running.value

    #expect(reports.withLock(\.self) == 0)
    #expect(trap.count == 0)
    #expect(!synced.store.isWatched)
    #expect(try folder.names(in: ".").filter { $0.hasSuffix("-lease") } == [])
  }

  @Test func `a session of the program without a configuration makes no transport`()
    async throws
  {
    let (folder, trap) = (try TemporaryFolder(), Trap())
    var options = try Options(arguments: [
      "--home", folder.path("home"), "--device", "a", "-c", "save Tag name=x", "-c", "status",
      "-c", "transport", "-c", "peers", "-c", "device b", "-c", "count Tag",
    ])
    options.isQuiet = true
    let streams = StandardStreams.captured()

    let code = await StrandlineProgram.run(
      options, registry: trap.registry, streams: streams, variables: [:])

    #expect(code == .done, "\(streams.capturedErrors)")
    #expect(trap.count == 0)
    #expect(streams.capturedOutput.contains("no transport is configured"))
    for device in ["a", "b"] {
      #expect(
        try folder.names(in: "home/\(device)").filter { $0.hasSuffix("-lease") }.isEmpty)
    }
  }
}
