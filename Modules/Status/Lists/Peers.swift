import StrandlineModels
public import StrandlineStorage

/// A peer that this store follows, or followed and has not forgotten.
public struct PeerItem: Hashable, Sendable, Identifiable {
  /// Its number in this store.
  public let id: Int64
  /// The transport and its address as the person wrote them.
  public let specification: String
  /// The name of its zone.
  public let zoneName: String
  /// The zone's environment.
  public let environment: String
  /// The account that was found there; nil before the first setup.
  public let account: String?
  /// Whether it is followed now; one that is not keeps its place and holds history back.
  public let isFollowed: Bool
  /// Whether a place in its changes is known, from which the next import goes on.
  public let hasCursor: Bool
  /// What the person has to decide before it is synced with again.
  public let question: PeerQuestion?
  /// The policy of the first sync with it; nil once that is over.
  public let firstSync: FirstSync?
  /// Whether the person decided that everything stays on this device.
  public let isKept: Bool
  /// Whether what was here before it was switched to does not go there.
  public let isApart: Bool
  /// What was observed of it.
  public let status: StatusSnapshot
}

extension Store {
  /// The peers that this store follows, and after them those that it knows besides.
  ///
  /// - Parameter deviceName: The name under which people know this device.
  /// - Returns: The peers with what was observed of each, at one moment.
  /// - Throws: Errors of the store.
  public func peerItems(deviceName: String = "") async throws -> [PeerItem] {
    let holder = SyncLease.holder(ofStoreAt: path)
    let space = freeSpace
    return try await read { transaction in
      let reader = StatusReader(
        transaction: transaction, device: deviceName, leaseHolder: holder, space: space)
      return try transaction.peers().map { peer in
        PeerItem(
          id: peer.id, specification: peer.specification, zoneName: peer.zoneName,
          environment: peer.environment, account: peer.account, isFollowed: peer.isFollowed,
          hasCursor: peer.cursor != nil, question: peer.question, firstSync: peer.firstSync,
          isKept: peer.isKept, isApart: peer.isApart, status: try reader.snapshot(peer))
      }
    }
  }
}
