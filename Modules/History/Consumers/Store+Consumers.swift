import StrandlineModels
public import StrandlineStorage

extension Store {
  /// The place up to which a consumer has processed history; nil where it never saved one.
  public func token(of consumer: String) async throws -> HistoryToken? {
    let id = id
    return try await read {
      try $0.consumerPlace(consumer).map { HistoryToken(store: id, sequence: $0) }
    }
  }

  /// Saves the place up to which a consumer has processed history.
  ///
  /// Save it after the processing, so that a crash repeats changes rather than loses them.
  ///
  /// - Throws: `historyExpired`, `tokenBeyondHistory` for a place that history does not reach;
  ///   `tokenFromAnotherStore`.
  public func save(_ token: HistoryToken, for consumer: String) async throws {
    try check(token)
    let now = clock.milliseconds
    try await administer { transaction in
      try transaction.checkPlace(token.sequence)
      try transaction.noteProcessed(by: consumer, upTo: token.sequence, time: now)
    }
  }

  /// The names of all consumers with their places and when those were saved.
  public func consumers() async throws -> [HistoryConsumer] {
    let id = id
    return try await read { try $0.consumers(of: id) }
  }

  /// Puts a consumer's place after the latest transaction, whatever it has processed.
  ///
  /// - Returns: The place.
  /// - Throws: Errors of the store.
  @discardableResult
  public func resetConsumer(_ consumer: String) async throws -> HistoryToken {
    let now = clock.milliseconds
    let sequence = try await administer { transaction in
      let head = try transaction.sealedHead()?.sequence ?? 0
      try transaction.saveConsumer(consumer, at: head, time: now)
      return head
    }
    return HistoryToken(store: id, sequence: sequence)
  }

  /// Forgets a consumer, which holds no history back any longer.
  ///
  /// - Returns: Whether there was one of that name.
  /// - Throws: Errors of the store.
  @discardableResult
  public func removeConsumer(_ consumer: String) async throws -> Bool {
    try await administer {
      try $0.connection.run(
        "DELETE FROM strandline_consumption WHERE consumer = ?", [.text(consumer)])
      return try $0.connection.run(
        "DELETE FROM strandline_consumer WHERE name = ?", [.text(consumer)]) > 0
    }
  }
}
