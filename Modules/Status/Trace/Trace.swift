import StrandlineHistory
public import StrandlineModels
public import StrandlineStorage

/// How far the latest change of a record was seen to get.
///
/// Each gate has the time at which it was observed, or nothing where it was not.
public struct Trace: Hashable, Sendable {
  /// The gates that one peer is concerned with.
  public struct PeerGates: Hashable, Sendable {
    /// The peer as the person wrote it.
    public let peer: String
    /// Whether the peer's acknowledgement proves only that the change is in the folder.
    public let isPublished: Bool
    /// When the peer acknowledged the change, in milliseconds since 1970.
    public let exportedAt: Int64?
    /// The devices that reported to have imported it, and when.
    public let importedBy: [DeviceGate]
  }

  /// That a device reported to have imported a change.
  public struct DeviceGate: Hashable, Sendable {
    /// The device's name.
    public let device: String
    /// When it reported, in milliseconds since 1970, by the clock of whoever kept the report;
    /// nil while it has not.
    public let at: Int64?
    /// When the device last reported anything, by the same clock.
    public let lastHeard: Int64?
  }

  /// That a consumer of this store's history has processed a change: it shows in its view.
  public struct ConsumerGate: Hashable, Sendable {
    /// The consumer's name.
    public let consumer: String
    /// When it had processed the change, in milliseconds since 1970; nil where that was not seen.
    public let at: Int64?
  }

  /// The entity's name.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// When the change was committed in this store, in milliseconds since 1970.
  public let savedAt: Int64?
  /// Whether history no longer holds the change, so that its gates are not known any more.
  ///
  /// All peers that were known then had acknowledged it before it was pruned.
  public let isPruned: Bool
  /// The peer that it was imported from; nil where it was made here.
  public let importedFrom: String?
  /// The gates beyond this store.
  public let peers: [PeerGates]
  /// The consumers of this store's history, each a gate of its own.
  public let consumers: [ConsumerGate]
}

extension Store {
  /// Follows the latest change of a record through the gates; nil for an unknown record.
  public func trace(_ id: RecordID) async throws -> Trace? {
    try await read { try TraceReader(transaction: $0).trace(id) }
  }
}

struct TraceReader {
  let transaction: ReadTransaction

  func trace(_ id: RecordID) throws -> Trace? {
    let latest = try transaction.connection.first(
      """
      SELECT l.sequence, l.entity, t.time, t.origin, t.last FROM strandline_log AS l
      LEFT JOIN strandline_transaction AS t
        ON t.last = (SELECT min(last) FROM strandline_transaction WHERE last >= l.sequence)
      WHERE l.record = ? ORDER BY l.sequence DESC LIMIT 1
      """, [id.value]
    ) {
      (
        sequence: $0.integer(0), entity: $0.integer(1), time: $0.optionalInteger(2),
        origin: $0.integer(3)
      )
    }
    guard let latest else { return nil }
    let name = transaction.catalog.layout(number: latest.entity)?.entity.name ?? "unknown"
    if try latest.sequence <= transaction.prunedSequence() {
      // What is left in the log is the birth or the death, which may not be the latest change.
      return Trace(
        entity: name, id: id, savedAt: nil, isPruned: true, importedFrom: nil, peers: [],
        consumers: [])
    }
    let peers = try transaction.peers()
    return Trace(
      entity: name, id: id, savedAt: latest.time, isPruned: false,
      importedFrom: latest.origin > 0
        ? peers.first { $0.id == latest.origin }?.specification ?? "a forgotten peer" : nil,
      peers: try peers.filter { $0.isFollowed && $0.id != latest.origin }.map {
        try gates($0, latest.sequence)
      }, consumers: try consumers(latest.sequence))
  }

  /// A place that a consumer was put to by hand says nothing of what it has processed.
  func consumers(_ sequence: Int64) throws -> [Trace.ConsumerGate] {
    try transaction.connection.map(
      """
      SELECT c.name, (SELECT time FROM strandline_consumption
        WHERE consumer = c.name AND sequence >= ? ORDER BY sequence LIMIT 1)
      FROM strandline_consumer AS c ORDER BY c.name
      """, [.integer(sequence)]
    ) { Trace.ConsumerGate(consumer: $0.text(0), at: $0.optionalInteger(1)) }
  }

  func gates(_ peer: PeerRow, _ sequence: Int64) throws -> Trace.PeerGates {
    let own = try transaction.deviceID().description
    let known = try transaction.latestReceipts(at: peer.id).filter { $0.device != own }
    let delivery = try transaction.delivery(of: sequence, to: peer.id)
    let covering = try delivery.map {
      try transaction.receipts(covering: $0.position, at: peer.id)
    }
    return Trace.PeerGates(
      peer: peer.specification, isPublished: peer.isPublished,
      exportedAt: delivery?.acknowledged,
      importedBy: known.map { device in
        Trace.DeviceGate(
          device: device.name, at: covering?.first { $0.device == device.device }?.reported,
          lastHeard: device.reported)
      })
  }
}
