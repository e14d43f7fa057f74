public import StrandlineModels
public import StrandlineStorage

/// A record with changes that a peer has not acknowledged.
public struct PendingItem: Hashable, Sendable {
  /// The peer as the person wrote it.
  public let peer: String
  /// The entity's name.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// `insert`, `update` or `delete`.
  public let kind: String
  /// The names of properties that were written.
  public let properties: [String]
}

/// A value that lost to a concurrent change and was kept.
public struct ConflictItem: Hashable, Sendable {
  /// Its number in the store's list.
  public let number: Int64
  /// The entity's name.
  public let entity: String
  /// The record.
  public let id: RecordID
  /// The property's name.
  public let property: String
  /// The value that lost.
  public let lostValue: Value
  /// The value that shows now; nil where the record is gone.
  public let presentValue: Value?
  /// When the losing value was written, in milliseconds since 1970.
  public let writtenAt: Int64
  /// The device that wrote it, by name where that is known.
  public let device: String
}

extension Store {
  /// The records that wait to be exported, rows of other SQLite clients included once sealed.
  public func pendingItems(limit: Int = 1000) async throws -> [PendingItem] {
    // What other clients wrote stands in no transaction before it is sealed.
    try await sealOtherClients()
    return try await read { transaction in
      try transaction.peers().filter(\.isFollowed).flatMap { peer in
        try transaction.pendingChanges(
          after: max(peer.acknowledged, peer.examined), for: peer.id,
          comparingUpTo: peer.compareHead, limit: limit
        ).records.prefix(limit).map { transaction.item($0, peer.specification) }
      }
    }
  }

  /// The values that lost, newest first.
  public func conflictItems(ownName: String) async throws -> [ConflictItem] {
    try await read { transaction in
      let own = try transaction.deviceID().description
      return try transaction.conflicts().map { row in
        try transaction.item(row, own: own, ownName: ownName)
      }
    }
  }
}

extension ReadTransaction {
  fileprivate func item(_ pending: PendingRecord, _ peer: String) -> PendingItem {
    let layout = catalog.layout(number: pending.entity)
    let keys = pending.masks.flatMap { layout?.keys(in: $0.value, bank: $0.key) ?? [] }
    let names = layout?.columns.map(\.property).filter { keys.contains($0.key) }.map(\.name) ?? []
    let kind = pending.isDeleted ? "delete" : pending.isInserted ? "insert" : "update"
    return PendingItem(
      peer: peer, entity: layout?.entity.name ?? "entity \(pending.entity)", id: pending.id,
      kind: kind, properties: names)
  }

  fileprivate func item(
    _ row: ConflictRow, own: String, ownName: String
  ) throws -> ConflictItem {
    let layout = catalog.layout(number: row.entity)
    let column = layout?.index(ofKey: row.property).map { layout?.columns[$0] } ?? nil
    let name = layout?.entity.name ?? "entity \(row.entity)"
    let property = column?.property.name ?? row.property
    let present = layout == nil ? nil : try record(name, row.record)
    return ConflictItem(
      number: row.id, entity: name, id: row.record, property: property,
      lostValue: row.loser.value, presentValue: present.map { $0[property] },
      writtenAt: row.loser.stamp.milliseconds,
      device: row.device == own ? ownName : try deviceName(row.device) ?? row.device)
  }

  func deviceName(_ device: String) throws -> String? {
    try connection.first(
      "SELECT name FROM strandline_receipt WHERE device = ? ORDER BY observed DESC LIMIT 1",
      [.text(device)]
    ) { $0.text(0) }
  }
}

/// A device that a peer told of.
public struct KnownDevice: Hashable, Sendable {
  /// The peer as the person wrote it.
  public let peer: String
  /// The device's name.
  public let name: String
  /// The device's identity.
  public let id: String
  /// When it last reported what it holds, in milliseconds since 1970.
  public let lastReport: Int64
}

extension Store {
  /// The other devices that the followed peers told of.
  public func knownDevices() async throws -> [KnownDevice] {
    try await read { transaction in
      let own = try transaction.deviceID().description
      return try transaction.peers().filter(\.isFollowed).flatMap { peer in
        try transaction.latestReceipts(at: peer.id).filter { $0.device != own }.map {
          KnownDevice(
            peer: peer.specification, name: $0.name, id: $0.device, lastReport: $0.reported)
        }
      }
    }
  }
}
