public import StrandlineModels
public import StrandlineStorage

extension Store {
  /// The place after the latest transaction.
  public func historyToken() async throws -> HistoryToken {
    let sequence = try await read { try $0.sealedHead()?.sequence ?? 0 }
    return HistoryToken(store: id, sequence: sequence)
  }

  /// The transactions after a token, oldest first.
  ///
  /// - Parameters:
  ///   - token: The place to begin after; nil begins with the first transaction.
  ///   - limit: The greatest number of transactions.
  /// - Returns: The transactions; what other SQLite clients wrote is among them once a
  ///   Strandline transaction has sealed it.
  /// - Throws: `historyExpired`; recover by loading everything again. `tokenFromAnotherStore`;
  ///   recover by starting from the beginning.
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

  /// The transactions that changed one record, oldest first.
  public func history(of record: RecordID, limit: Int = 1000) async throws -> [HistoryTransaction] {
    let process = process
    let id = id
    return try await read {
      try HistoryReader(transaction: $0, store: id, process: process)
        .transactions(of: record, limit: limit)
    }
  }

  func check(_ token: HistoryToken?) throws {
    if let token, token.store != id { throw HistoryError.anotherStore }
  }
}

extension Store {
  /// The place up to which a consumer has processed history; nil for a new consumer.
  public func token(of consumer: String) async throws -> HistoryToken? {
    let id = id
    return try await read { read in
      try read.connection.first(
        "SELECT sequence FROM strandline_consumer WHERE name = ?", [.text(consumer)]
      ) { HistoryToken(store: id, sequence: $0.integer(0)) }
    }
  }

  /// Saves the place up to which a consumer has processed history.
  ///
  /// Save it after the processing, so that a crash repeats changes rather than loses them.
  public func save(_ token: HistoryToken, for consumer: String) async throws {
    try check(token)
    let now = clock.milliseconds
    try await administer {
      try $0.connection.run(
        """
        INSERT INTO strandline_consumer(name, sequence, updated) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET sequence = excluded.sequence, updated = excluded.updated
        """, [.text(consumer), .integer(token.sequence), .integer(now)])
    }
  }

  /// The names of all consumers with their places and when those were saved.
  public func consumers() async throws -> [HistoryConsumer] {
    let id = id
    return try await read {
      try $0.connection.map(
        "SELECT name, sequence, updated FROM strandline_consumer ORDER BY name"
      ) { row in
        HistoryConsumer(
          name: row.text(0), token: HistoryToken(store: id, sequence: row.integer(1)),
          savedAt: row.integer(2))
      }
    }
  }
}

/// A named reader of history and the place up to which it has read.
public struct HistoryConsumer: Hashable, Sendable {
  /// The name.
  public let name: String
  /// The place.
  public let token: HistoryToken
  /// When the place was saved, in milliseconds since 1970.
  public let savedAt: Int64
}
