import StrandlineModels
public import StrandlineStorage

/// What an app may show in place of records that are not there.
///
/// Saving is never held up by any of these.
public enum FirstLaunch: String, Hashable, Sendable, CaseIterable {
  /// The store is being opened.
  case loading
  /// The store is open and empty, and what the peers hold was not seen to its end yet.
  case checking
  /// The store is empty, and nothing is known that may still come.
  ///
  /// Every followed peer was read to its end, or sync is off.
  case empty
  /// The store holds records.
  case hasRecords
}

extension Store {
  /// What an app may show in place of records, told from the store's tables.
  ///
  /// - Returns: Never `loading`, since the store is open.
  /// - Throws: Errors of the store.
  public func firstLaunch() async throws -> FirstLaunch {
    try await read { try FirstLaunchReader(transaction: $0).state() }
  }
}

/// Tells the state of a first launch from tables.
struct FirstLaunchReader {
  let transaction: ReadTransaction

  func state() throws -> FirstLaunch {
    if try hasRecords() { return .hasRecords }
    guard try transaction.switchState().wanted else { return .empty }
    let followed = try transaction.peers().filter(\.isFollowed)
    return followed.allSatisfy(Self.isReadToItsEnd) ? .empty : .checking
  }

  /// Records that never leave the device say nothing of what may come.
  private func hasRecords() throws -> Bool {
    for layout in transaction.catalog.layouts where layout.entity.configuration == .synced {
      let found = try transaction.connection.integer(
        "SELECT EXISTS(SELECT 1 FROM \(layout.table))")
      if found != 0 { return true }
    }
    return false
  }

  /// An import that was ended in the middle has moved no place, or left the mark of a catch-up.
  private static func isReadToItsEnd(_ peer: PeerRow) -> Bool {
    peer.cursor != nil && !peer.isCatchingUp && peer.waits.isEmpty
  }
}
