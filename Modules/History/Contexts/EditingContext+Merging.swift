import StrandlineModels
import StrandlineStorage

extension EditingContext {
  /// Takes up what changed in the store since the last merge, whoever changed it.
  ///
  /// A record without unsaved edits takes the store's values, and goes if the store lost it. Of a
  /// record with unsaved edits, the edited properties stay as they are and the others take the
  /// store's values; what becomes of properties that both sides changed is for the merge policy
  /// to decide in the save. New records, and old ones that have come to match, are held if they
  /// match a query that was fetched. A pinned context advances to the newest state.
  ///
  /// The cost follows the changes, not what is held. Where history was pruned beyond what the
  /// context knows, everything that it holds is read again.
  ///
  /// - Returns: What was touched.
  @discardableResult
  public func merge() async throws -> ContextMerge {
    try await exclusively { try await mergeNow() }
  }

  /// Merges now and whenever the store changes, until the task is cancelled or the store closes.
  ///
  /// Everything runs on the caller's actor, to which the context belongs:
  ///
  /// ```swift
  /// merging = Task { try await context.mergeAutomatically { _ in self.redraw() } }
  /// ```
  ///
  /// - Parameter merged: Is told of each merge that touched what the context holds; what a save
  ///   merges stands in the save's result.
  /// - Throws: Why the store could not be read; call it again to go on.
  public func mergeAutomatically(_ merged: (ContextMerge) -> Void = { _ in }) async throws {
    // The stream begins before the first look, so that nothing falls between the two.
    let changes = store.changes()
    try await report(to: merged)
    for await _ in changes { try await report(to: merged) }
  }

  private func report(to merged: (ContextMerge) -> Void) async throws {
    let merge = try await merge()
    if !merge.isEmpty { merged(merge) }
  }

  /// Pins the context: from now on its reads see one generation, whatever is written meanwhile.
  ///
  /// What is held without edits is read again from the generation. A save, a merge and a reset
  /// advance it, so a pinned context that merges automatically is not frozen.
  ///
  /// - Parameter given: The generation, which may be shared; nil pins the newest state.
  /// - Throws: What pinning throws, see `Store.generation()`; the context is as it was then.
  public func pin(to given: Generation? = nil) async throws {
    if let given, given.store !== store {
      throw HistoryError(
        code: .tokenFromAnotherStore,
        message: "Could not pin the context, the generation belongs to another store.",
        advice: "Pin a generation of the context's own store.")
    }
    try await exclusively {
      let pinned: Generation
      if let given { pinned = given } else { pinned = try await store.generation() }
      let held = working.identities
      let news = try await pinned.read { try MergeReading.reload(held, in: $0) }
      generation = pinned
      position = news.head
      _ = apply(news)
    }
  }

  /// Lets the generation go: reads see the newest state again, and what is held is merged.
  @discardableResult
  public func unpin() async throws -> ContextMerge {
    try await exclusively {
      generation = nil
      return try await mergeNow()
    }
  }

  @discardableResult
  func mergeNow() async throws -> ContextMerge {
    try await generation?.advance()
    let reading = MergeReading(position: position, working: working, fetched: fetched)
    let news = try await read { try reading.run($0) }
    position = news.head
    return apply(news)
  }

  private func apply(_ news: MergeReading.News) -> ContextMerge {
    var merge = ContextMerge(token: HistoryToken(store: store.id, sequence: news.head))
    for (identity, row) in news.rows {
      guard var held = working[identity] else { continue }
      let absorbed = held.absorb(row)
      let isOver = held.isGone && (held.isDeleted || held.changes.isEmpty)
      working[identity] = isOver ? nil : held
      let changed = absorbed.changed.union(absorbed.contested)
      if !changed.isEmpty { merge.properties[identity] = changed }
      if absorbed.isGone { merge.deleted.append(identity) }
      if absorbed.isBack || !absorbed.changed.isEmpty { merge.updated.append(identity) }
      if !absorbed.contested.isEmpty { merge.contested.append(identity) }
    }
    for record in news.records where !working.contains(record.identity) {
      working[record.identity] = WorkingRecord(record)
      merge.inserted.append(record.identity)
    }
    return merge
  }
}

/// Reads from one snapshot what a merge has to look at.
struct MergeReading: Sendable {
  let position: Int64?
  let working: WorkingSet
  let fetched: FetchedQueries

  struct News: Sendable {
    var head: Int64
    /// Held records with what stands in the store; nil where it has no such record.
    var rows: [(RecordIdentity, [String: Value]?)] = []
    /// Records that are not held and match what was fetched.
    var records: [Record] = []
  }

  func run(_ transaction: ReadTransaction) throws -> News {
    let head = try transaction.logHead()
    guard let position, position != head else { return News(head: head) }
    let changes =
      position < head
      ? try LogChanges.read(after: position, upTo: head, in: transaction) : nil
    guard let changes else { return try reloadAll(transaction) }
    var news = News(head: head)
    var strangers: [String: [RecordID]] = [:]
    for identity in changes.touched {
      if working.contains(identity) {
        news.rows.append((identity, try Self.row(identity, transaction)))
      } else {
        strangers[identity.entity, default: []].append(identity.id)
      }
    }
    for entity in Set(changes.touched.map(\.entity)).sorted() {
      let isHeldTouched = news.rows.contains { $0.0.entity == entity }
      news.records += try newcomers(
        of: entity, among: strangers[entity] ?? [], isHeldTouched, transaction)
    }
    return news
  }

  /// The records that are not held and belong to what was fetched of an entity now.
  ///
  /// A window of limited length is read again where a record may have entered it, and where a
  /// held record may have made room.
  private func newcomers(
    of entity: String, among ids: [RecordID], _ isHeldTouched: Bool,
    _ transaction: ReadTransaction
  ) throws -> [Record] {
    var found: [Record] = []
    for query in fetched.whole(of: entity) {
      found += try transaction.matches(of: query, among: ids)
    }
    for query in fetched.limited(of: entity) {
      let isEntered = try !transaction.matches(of: query, among: ids, limit: 1).isEmpty
      if isEntered || isHeldTouched { found += try transaction.records(query) }
    }
    var known: Set<RecordIdentity> = []
    return found.filter { record in
      !working.contains(record.identity) && known.insert(record.identity).inserted
    }
  }

  /// Reads everything that is held, and everything that was fetched.
  private func reloadAll(_ transaction: ReadTransaction) throws -> News {
    var news = try Self.reload(working.identities, in: transaction)
    for query in fetched.all {
      try transaction.forEachRecord(query) { record in
        if !working.contains(record.identity) { news.records.append(record) }
      }
    }
    return news
  }

  static func reload(
    _ identities: [RecordIdentity], in transaction: ReadTransaction
  ) throws -> News {
    var news = News(head: try transaction.logHead())
    for identity in identities.sorted() {
      news.rows.append((identity, try row(identity, transaction)))
    }
    return news
  }

  private static func row(
    _ identity: RecordIdentity, _ transaction: ReadTransaction
  ) throws -> [String: Value]? {
    try transaction.record(identity.entity, identity.id)?.values
  }
}
