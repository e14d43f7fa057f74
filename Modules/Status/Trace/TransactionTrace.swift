public import StrandlineHistory
import StrandlineModels
public import StrandlineStorage

/// How far a transaction was seen to get.
///
/// A transaction travels whole, so that each gate holds for all of its records but those that a
/// peer refused.
public struct TransactionTrace: Hashable, Sendable {
  /// The place after it.
  public let token: HistoryToken
  /// When it was committed in this store, in milliseconds since 1970.
  public let savedAt: Int64
  /// Who made it, if that was told.
  public let author: String?
  /// What it was part of, if that was told.
  public let context: String?
  /// How many records it changed.
  public let records: Int
  /// The peer that it was imported from; nil where it was made here.
  public let importedFrom: String?
  /// Whether another SQLite client made it.
  public let isOfAnotherClient: Bool
  /// The gates beyond this store.
  public let peers: [Trace.PeerGates]
  /// How many of its records each peer refused, by the peer as the person wrote it.
  public let setAside: [String: Int]
  /// The consumers of this store's history, each a gate of its own.
  public let consumers: [Trace.ConsumerGate]
}

extension Store {
  /// Follows a transaction through the gates.
  ///
  /// - Parameter token: A place in history; the transaction that it stands after is meant, or the
  ///   one that it lies in.
  /// - Returns: The gates; nil where no transaction is there, or history no longer reaches that far.
  /// - Throws: `tokenFromAnotherStore`; errors of the store.
  public func trace(transaction token: HistoryToken) async throws -> TransactionTrace? {
    try check(token)
    let store = id
    return try await read {
      try TraceReader(transaction: $0).trace(transactionAt: token.sequence, store: store)
    }
  }
}

extension TraceReader {
  private struct Found {
    let first: Int64
    let last: Int64
    let origin: Int64
    let author: String?
    let context: String?
    let time: Int64
  }

  func trace(transactionAt sequence: Int64, store: String) throws -> TransactionTrace? {
    guard try sequence > transaction.prunedSequence(), let found = try found(at: sequence) else {
      return nil
    }
    let all = try transaction.peers()
    let peers = all.filter { $0.isFollowed && $0.id != found.origin }
    var setAside: [String: Int] = [:]
    for peer in peers {
      let count = try refused(found, by: peer.id)
      if count > 0 { setAside[peer.specification] = count }
    }
    let source = all.first { $0.id == found.origin }?.specification ?? "a forgotten peer"
    return TransactionTrace(
      token: HistoryToken(store: store, sequence: found.last), savedAt: found.time,
      author: found.author, context: found.context, records: try records(found),
      importedFrom: found.origin > 0 ? source : nil,
      isOfAnotherClient: found.origin == -1,
      peers: try peers.map { try gates($0, found.last) }, setAside: setAside,
      consumers: try consumers(found.last))
  }

  private func found(at sequence: Int64) throws -> Found? {
    try transaction.connection.first(
      """
      SELECT first, last, origin, author, context, time FROM strandline_transaction
      WHERE last >= ?1 AND first <= ?1 ORDER BY last LIMIT 1
      """, [.integer(sequence)]
    ) {
      Found(
        first: $0.integer(0), last: $0.integer(1), origin: $0.integer(2),
        author: $0.optionalText(3), context: $0.optionalText(4), time: $0.integer(5))
    }
  }

  private func records(_ found: Found) throws -> Int {
    Int(
      try transaction.connection.integer(
        """
        SELECT count(*) FROM (SELECT DISTINCT entity, record FROM strandline_log
          WHERE sequence BETWEEN ? AND ?)
        """, [.integer(found.first), .integer(found.last)]))
  }

  /// The records of a transaction that a peer refused and has not taken since.
  private func refused(_ found: Found, by peer: Int64) throws -> Int {
    Int(
      try transaction.connection.integer(
        """
        SELECT count(*) FROM (SELECT DISTINCT l.entity, l.record FROM strandline_log AS l
          JOIN strandline_set_aside AS s ON s.record = l.record AND s.entity = l.entity
          WHERE s.peer = ? AND l.sequence BETWEEN ? AND ?)
        """, [.integer(peer), .integer(found.first), .integer(found.last)]))
  }
}
