public import StrandlineModels
public import StrandlineStorage

/// A delete from elsewhere that waits for the person's word, since it came with too many others.
public struct HeldDeleteItem: Hashable, Sendable {
  /// The peer that it came from, as the person wrote it.
  public let peer: String
  /// The entity's name.
  public let entity: String
  /// The record, which is here as before.
  public let id: RecordID
  /// The device that deleted it, by name where that is known; nil where nobody told.
  public let device: String?
  /// When it was deleted, by the clock of that device, in milliseconds since 1970.
  public let deletedAt: Int64
}

/// A record that a peer refused, or a value that arrived and cannot be stored.
public struct SetAsideItem: Hashable, Sendable {
  /// The peer as the person wrote it.
  public let peer: String
  /// The entity's name.
  public let entity: String
  /// The record's id as it stands in the store; damage may have put anything there.
  public let id: Value
  /// The stable name of the reason.
  public let code: String
  /// What could not be done and why.
  public let reason: String
  /// What to do about it.
  public let cure: String
  /// How often it was refused.
  public let attempts: Int
  /// When it was refused last, in milliseconds since 1970.
  public let refusedAt: Int64
  /// When it is offered again without an edit; nil for what is not offered.
  public let nextAttempt: Int64?
}

extension Store {
  /// The deletes that wait for the person's word, by entity and record.
  ///
  /// - Parameter ownName: The name under which people know this device.
  /// - Returns: One item for each record.
  /// - Throws: Errors of the store.
  public func heldDeleteItems(ownName: String) async throws -> [HeldDeleteItem] {
    try await read { transaction in
      let own = try transaction.deviceID().description
      var names = [own: ownName]
      return try transaction.heldDeletes().filter(\.awaitsWord).compactMap { row in
        guard let layout = transaction.catalog.layout(number: row.entity) else { return nil }
        if let device = row.device, names[device] == nil {
          names[device] = try transaction.deviceName(device) ?? device
        }
        return HeldDeleteItem(
          peer: try transaction.peer(row.peer)?.specification ?? "forgotten",
          entity: layout.entity.name, id: row.record, device: row.device.flatMap { names[$0] },
          deletedAt: row.death.stamp.milliseconds)
      }
    }
  }

  /// What is set aside, the oldest first.
  public func setAsideItems() async throws -> [SetAsideItem] {
    try await read { transaction in
      try transaction.setAsideRows().map { row in
        SetAsideItem(
          peer: try transaction.peer(row.peer)?.specification ?? "forgotten",
          entity: transaction.catalog.layout(number: row.entity)?.entity.name
            ?? "entity \(row.entity)",
          id: row.record, code: row.code, reason: row.message, cure: Self.cure(row.code),
          attempts: row.attempts, refusedAt: row.time, nextAttempt: row.retryAt)
      }
    }
  }

  /// Lets all records that were refused be offered again with the next cycle.
  ///
  /// - Returns: How many there are.
  /// - Throws: Errors of the store.
  @discardableResult
  public func retrySetAside() async throws -> Int {
    let now = clock.milliseconds
    return try await administer { try $0.retryRefused(at: now) }
  }

  private static func cure(_ code: String) -> String {
    switch code {
    case "tooLarge": "Make the record smaller; it goes out with its next edit."
    case DamagedRow.code:
      "Run doctor, and save the record anew; it goes out when it can be read."
    case SetAsideRow.carriedCode:
      "Use a model that can hold the value; it is kept until then."
    case "cannotStore": "Set the value anew on the device that made it."
    default: "Change the record, or offer it again; it is offered again by itself, too."
    }
  }
}
