public import StrandlineModels
public import StrandlineStorage

extension Store {
  /// The place after the latest transaction.
  public func historyToken() async throws -> HistoryToken {
    let sequence = try await read { try $0.sealedHead()?.sequence ?? 0 }
    return HistoryToken(store: id, sequence: sequence)
  }

  /// The place where history begins: what came before it was pruned.
  public func historyStart() async throws -> HistoryToken {
    let sequence = try await read { try $0.prunedSequence() }
    return HistoryToken(store: id, sequence: sequence)
  }

  /// The transactions after a token, oldest first.
  ///
  /// - Parameters:
  ///   - token: The place to begin after; nil begins with the first transaction.
  ///   - limit: The greatest number of transactions.
  /// - Returns: The transactions; what other SQLite clients wrote is among them once a
  ///   Strandline transaction has sealed it.
  /// - Throws: `historyExpired`, `tokenBeyondHistory`; recover by loading everything again.
  ///   `tokenFromAnotherStore`; recover by starting from the beginning.
  public func history(
    after token: HistoryToken? = nil, limit: Int = 1000
  ) async throws -> [HistoryTransaction] {
    try check(token)
    let process = process
    let id = id
    return try await read {
      try HistoryReader(transaction: $0, store: id, process: process)
        .transactions(after: token?.sequence ?? 0, limit: limit)
    }
  }

  /// The transactions that changed one record, oldest first, as far back as history reaches.
  ///
  /// - Parameters:
  ///   - record: The record's id.
  ///   - entity: Its entity; without one, the records of all entities that have the id.
  ///   - limit: The greatest number of transactions; the latest are told.
  /// - Returns: The transactions, each with the changes of that record only.
  /// - Throws: `unknownEntity`.
  public func history(
    of record: RecordID, in entity: String? = nil, limit: Int = 1000
  ) async throws -> [HistoryTransaction] {
    let process = process
    let id = id
    return try await read {
      try HistoryReader(transaction: $0, store: id, process: process)
        .transactions(of: record, in: entity, limit: limit)
    }
  }

  package func check(_ token: HistoryToken?) throws {
    if let token, token.store != id { throw HistoryError.anotherStore }
  }
}
