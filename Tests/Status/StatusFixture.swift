import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport

/// A store with one followed peer, whose row tests write as an engine would.
struct StatusFixture: Sendable {
  let store: Store
  let peer: Int64

  init(hasPeer: Bool = true) async throws {
    store = try await Store.open(
      .memory, schema: try SampleSchema.todo(), options: StoreOptions(clock: WallClock { 5000 }))
    guard hasPeer else {
      peer = 0
      return
    }
    peer = try await store.administer { transaction in
      try transaction.followPeer(
        specification: "memory", zoneName: "default", environment: "development"
      ).id
    }
    try await want(true)
  }

  func want(_ isWanted: Bool) async throws {
    try await store.administer {
      try $0.connection.run(
        "UPDATE strandline_switch SET wanted = ?", [.integer(isWanted ? 1 : 0)])
    }
  }

  func change(_ body: @Sendable (inout PeerRow) -> Void) async throws {
    let peer = peer
    try await store.administer { transaction in
      guard var row = try transaction.peer(peer) else { return }
      body(&row)
      try transaction.update(row)
    }
  }

  func begin(_ kind: String, at time: Int64) async throws -> Int64 {
    let (peer, process) = (peer, store.process)
    return try await store.administer {
      try $0.beginEvent(peer: peer, kind: kind, process: process, at: time)
    }
  }

  func end(_ id: Int64, at time: Int64, error: (any ExplainedError)? = nil) async throws {
    try await store.administer { try $0.endEvent(id, at: time, records: 3, error: error) }
  }

  func status() async throws -> StatusSnapshot {
    guard let first = try await store.status(deviceName: "a").first else {
      throw StorageError(.damaged, "Could not read the status, there is none.", advice: "")
    }
    return first
  }
}
