import Strandline
import StrandlineFaults

/// One open device of the session: its store, its transport and its place in the lab.
@MainActor final class Device {
  let name: String
  let synced: SyncedStore
  /// The switchboard of the fault-injecting wrapper around its transport.
  let panel = FaultPanel(seed: UInt64.random(in: .min ... .max))
  /// Its clock, which the lab can put forward or back.
  let labClock: LabClock
  var isInTransaction = false
  /// What reads see while the person has pinned a state outside a context.
  var generation: Generation?
  /// The contexts by name, and the one in which the person edits; nil saves at once.
  var contexts: [String: EditingContext] = [:]
  var contextName: String?
  /// The records of the last listing, for `#N`.
  var listing: [RecordKey] = []
  var background: Task<Void, Never>?
  /// What was told last of each peer, so that it is not told again and again.
  var lastTold: [String: ToldPeer] = [:]

  /// What the person was told of a peer that lasts.
  struct ToldPeer: Equatable {
    var error: String?
    var waitingFor: [String] = []
    var notices: [String] = []
  }

  nonisolated var store: Store { synced.store }

  init(name: String, synced: SyncedStore, labClock: LabClock) {
    self.name = name
    self.synced = synced
    self.labClock = labClock
  }

  /// The context in which the person edits, if any.
  var context: EditingContext? { contextName.flatMap { contexts[$0] } }

  /// The generation that reads see, of the context or of the device.
  var pinned: Generation? { context.map(\.generation) ?? generation }

  /// Reads; inside an open transaction its own changes are seen.
  func read<T: Sendable>(
    _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    if isInTransaction { return try await store.step { try body($0) } }
    return try await readSaved(body)
  }

  /// Reads what is saved, in the state that is pinned.
  func readSaved<T: Sendable>(
    _ body: @Sendable (ReadTransaction) throws -> T
  ) async throws -> T {
    if let pinned { return try await pinned.read(body) }
    return try await store.read(body)
  }

  /// Writes; inside an open transaction it is a step of that.
  func write<T: Sendable>(
    context: String, _ body: @Sendable (WriteTransaction) throws -> T
  ) async throws -> T {
    if isInTransaction { return try await store.step(body) }
    return try await store.write(author: "strandline", context: context, body)
  }

  /// Cuts the link to the transport, or mends it.
  func setLink(up: Bool) {
    panel.update { $0.isDown = !up }
  }

  func close() async {
    background?.cancel()
    generation = nil
    contexts = [:]
    if isInTransaction {
      isInTransaction = false
      // What was never committed is undone by closing as well.
      _ = try? await store.rollback()
    }
    await synced.close()
    await background?.value
  }
}
