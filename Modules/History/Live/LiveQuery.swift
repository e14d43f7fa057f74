public import Foundation
public import StrandlineModels
public import StrandlineStorage
import Synchronization

/// The results of a query, one after the other, as the store changes.
///
/// The first result is there at once. Another follows when a transaction touches what the query
/// shows and the records then differ; a commit that touches nothing of it costs a look at its
/// changes and no more. It does not matter who made them.
///
/// ```swift
/// for try await result in try store.live(TodoItem.self, where: #Predicate { !$0.done }) {
///   show(result.records)
/// }
/// ```
///
/// A result is made when it is asked for: who comes late gets the newest and misses those
/// between. The sequence ends when its task is cancelled or the store closes, and throws what
/// reading the store throws.
public struct LiveQuery<Element: Sendable>: AsyncSequence, Sendable {
  /// What the query names at one place in history.
  public struct Result: Sendable {
    /// The records.
    public let records: [Element]
    /// The place in history up to which that is true.
    public let token: HistoryToken
  }

  /// The store that is watched.
  public let store: Store
  /// What is watched.
  public let query: Query
  private let properties: Set<String>?
  private let convert: @Sendable (Record) throws -> Element
  private let counter = EvaluationCounter()

  init(
    _ store: Store, _ query: Query, showing properties: Set<String>?,
    convert: @escaping @Sendable (Record) throws -> Element
  ) {
    self.store = store
    self.query = query
    self.properties = properties
    self.convert = convert
  }

  /// How often the query was run, by all iterations together.
  package var evaluations: Int { counter.count }

  /// Begins to watch.
  public func makeAsyncIterator() -> Iterator {
    // The stream begins before the first reading, so that nothing falls between the two.
    Iterator(query: self, changes: store.changes().makeAsyncIterator())
  }

  /// The state of one watching.
  public struct Iterator: AsyncIteratorProtocol {
    private let query: LiveQuery
    private var changes: AsyncStream<StoreChange>.Iterator
    private var last: Snapshot?
    private var isOver = false

    fileprivate init(query: LiveQuery, changes: AsyncStream<StoreChange>.Iterator) {
      self.query = query
      self.changes = changes
    }

    /// Waits for the next result; nil once the task is cancelled or the store closes.
    public mutating func next() async throws -> Result? {
      try await next(isolation: #isolation)
    }

    /// Waits for the next result on the caller's actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(any Error) -> Result? {
      while !isOver && !Task.isCancelled {
        let (snapshot, isNew) = try await query.look(after: last)
        last = snapshot
        if isNew { return try query.result(snapshot) }
        if await changes.next(isolation: actor) == nil { isOver = true }
      }
      return nil
    }
  }
}

/// What a query showed at one place in the log.
private struct Snapshot: Sendable {
  var head: Int64
  var records: [Record]
  var ids: Set<RecordID>
  let relevance: Relevance
}

extension LiveQuery {
  /// Looks at what was written since a snapshot, and runs the query where that touches it.
  private func look(after last: Snapshot?) async throws -> (Snapshot, isNew: Bool) {
    try await store.read { transaction in
      let head = try transaction.logHead()
      let relevance =
        try last?.relevance ?? Relevance(query, showing: properties, in: transaction)
      if var last {
        let isTouched =
          try last.head > head
          || relevance.isTouched(
            showing: last.ids, after: last.head, upTo: head, in: transaction)
        last.head = head
        guard isTouched else { return (last, false) }
      }
      let records = try evaluate(transaction)
      let ids = Set(records.map(\.id))
      return (
        Snapshot(head: head, records: records, ids: ids, relevance: relevance),
        last?.records != records
      )
    }
  }

  private func evaluate(_ transaction: ReadTransaction) throws -> [Record] {
    counter.increment()
    let records = try transaction.records(query)
    guard let properties else { return records }
    return records.map { record in
      var record = record
      record.values = record.values.filter { properties.contains($0.key) }
      return record
    }
  }

  private func result(_ snapshot: Snapshot) throws -> Result {
    Result(
      records: try snapshot.records.map(convert),
      token: HistoryToken(store: store.id, sequence: snapshot.head))
  }
}

/// Counts how often a query was run.
private final class EvaluationCounter: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  func increment() {
    value.wrappingAdd(1, ordering: .relaxed)
  }
}

extension Store {
  /// Watches the records that a query names.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - properties: The properties to show; nil shows all. With some, changes of the others are
  ///     irrelevant, and the records hold these alone.
  /// - Returns: The sequence of results.
  public func live(_ query: Query, showing properties: Set<String>? = nil) -> LiveQuery<Record> {
    LiveQuery(self, query, showing: properties) { $0 }
  }

  /// Watches the typed records for which a predicate holds.
  ///
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public func live<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [],
    limit: Int? = nil
  ) throws -> LiveQuery<M> {
    let query = try Query(model, where: predicate, orderBy: order, limit: limit)
    let catalog = catalog
    return LiveQuery(self, query, showing: nil) { try catalog.decode(model, $0) }
  }
}
