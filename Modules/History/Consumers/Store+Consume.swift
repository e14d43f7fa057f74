import StrandlineModels
public import StrandlineStorage

extension Store {
  /// Hands the transactions after a consumer's place to a closure, then saves the new place.
  ///
  /// The place is saved after the closure has returned, so a crash repeats transactions rather
  /// than loses them: let the processing bear that. A consumer that never saved a place begins
  /// with the first transaction of history.
  ///
  /// - Parameters:
  ///   - consumer: The name under which the place is saved.
  ///   - limit: The greatest number of transactions.
  ///   - process: Takes the transactions, oldest first; it is not called where there are none.
  /// - Returns: How many transactions were processed; 0 at the end of history.
  /// - Throws: `historyExpired`; recover with `reload`. `consumerMoved` where another task or
  ///   process has saved the place meanwhile. What the closure throws; the place stays then.
  @discardableResult
  public func consume(
    _ consumer: String, limit: Int = 100,
    _ process: ([HistoryTransaction]) async throws -> Void
  ) async throws -> Int {
    try await sealIfNeeded()
    let (place, transactions) = try await transactions(for: consumer, limit: max(1, limit))
    guard let last = transactions.last else { return 0 }
    try await process(transactions)
    let now = clock.milliseconds
    try await administer { transaction in
      guard try transaction.consumerPlace(consumer) == place else {
        throw HistoryError.moved(consumer)
      }
      try transaction.noteProcessed(by: consumer, upTo: last.token.sequence, time: now)
    }
    return transactions.count
  }

  /// Processes everything after a consumer's place, in portions; for starting and for returning
  /// to the foreground.
  ///
  /// - Returns: How many transactions were processed.
  /// - Throws: As `consume`.
  @discardableResult
  public func consumeAll(
    _ consumer: String, limit: Int = 100,
    _ process: ([HistoryTransaction]) async throws -> Void
  ) async throws -> Int {
    var total = 0
    while !Task.isCancelled {
      let count = try await consume(consumer, limit: limit, process)
      if count == 0 { break }
      total += count
    }
    return total
  }

  /// Processes what there is at once, and then whatever comes, until the task is cancelled or
  /// the store is closed.
  ///
  /// ```swift
  /// try await store.keepConsuming("search index", alsoOn: foregrounds) { transactions in
  ///   try await index.update(with: transactions)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - consumer: The name under which the place is saved; one loop at a time may use it.
  ///   - limit: The greatest number of transactions that are processed at once.
  ///   - wakes: Further reasons to look, such as the app's return to the foreground.
  ///   - process: Takes the transactions, oldest first.
  /// - Throws: As `consume`.
  public func keepConsuming(
    _ consumer: String, limit: Int = 100, alsoOn wakes: AsyncStream<Void>? = nil,
    _ process: ([HistoryTransaction]) async throws -> Void
  ) async throws {
    // Reasons that come while one is looked into are one reason to look again.
    let (reasons, reason) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Listening begins before the first look, so that nothing falls between the two.
    let changes = changes()
    reason.yield()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await _ in changes { reason.yield() }
        reason.finish()
      }
      if let wakes {
        group.addTask {
          for await _ in wakes { reason.yield() }
        }
      }
      defer { group.cancelAll() }
      for await _ in reasons { try await consumeAll(consumer, limit: limit, process) }
    }
  }

  private func transactions(
    for consumer: String, limit: Int
  ) async throws -> (place: Int64?, [HistoryTransaction]) {
    let process = process
    let id = id
    return try await read { transaction in
      let place = try transaction.consumerPlace(consumer)
      do {
        let transactions = try HistoryReader(
          transaction: transaction, store: id, process: process
        ).transactions(after: place ?? 0, limit: limit)
        return (place, transactions)
      } catch let error as HistoryError where error.code == .historyExpired {
        throw HistoryError.expired(for: consumer)
      }
    }
  }

  /// What other SQLite clients wrote stands in no transaction before it is sealed.
  func sealIfNeeded() async throws {
    if try await read({ try $0.hasUnsealedRows() }) { try await sealOtherClients() }
  }
}

extension Store {
  /// Begins a consumer anew: reads everything at one moment, and saves the place of just that.
  ///
  /// This is the way back from `historyExpired`, and the right start for a consumer that has
  /// to know what is there before it can follow what changes.
  ///
  /// - Parameters:
  ///   - consumer: The name under which the place is saved.
  ///   - read: Reads what the consumer needs, on one snapshot.
  ///   - process: Takes what was read; the place is saved after it has returned.
  /// - Returns: The place.
  /// - Throws: What the closures throw; the place stays then.
  @discardableResult
  public func reload<T: Sendable>(
    _ consumer: String, reading read: @Sendable (ReadTransaction) throws -> T,
    then process: (T) async throws -> Void
  ) async throws -> HistoryToken {
    try await sealIfNeeded()
    let (contents, sequence) = try await self.read { transaction in
      (try read(transaction), try transaction.sealedHead()?.sequence ?? 0)
    }
    try await process(contents)
    let token = HistoryToken(store: id, sequence: sequence)
    try await save(token, for: consumer)
    return token
  }
}
