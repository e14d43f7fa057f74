public import StrandlineModels
public import StrandlineStorage

/// A working set of records in memory: read, edit, and save what was edited in one transaction.
///
/// A context remembers the values that it read. A save writes only the properties that were
/// edited, and asks its ``MergePolicy`` about each record that was changed in the store since.
///
/// ```swift
/// let context = EditingContext(store, name: "editor", mergePolicy: .objectTrumps)
/// for item in try await context.fetch(TodoItem.self, where: #Predicate { !$0.done }) {
///   try context.update(TodoItem.self, item.id) { $0.done = true }
/// }
/// let result = try await context.save()
/// ```
///
/// **Isolation.** A context is not `Sendable`: it belongs to whoever made it, and the compiler
/// keeps it there. Made by a view model on the main actor, it lives on the main actor: what it
/// holds is read and edited without waiting, as drawing needs it, and only fetches and saves are
/// awaited, while SQLite works on queues of its own. Made by an actor of your own, it lives there
/// in the background. Its asynchronous methods come back to the caller's actor, merging included.
/// Edits that are made while a save is under way are kept for the next one.
///
/// **What a fetch shows.** Unsaved edits count: the condition, the order and the limit see edited,
/// inserted and deleted records as if they were saved. A fetched record without edits takes the
/// newest values; one with edits stays as it is. Delete rules act when the store runs them, in
/// the save.
///
/// **What else changes in the store** comes in by ``merge()``, by
/// ``mergeAutomatically(_:)`` or with the next save; unsaved edits stay. A context may be pinned
/// to a ``Generation``: then all reads see that snapshot. A save, a merge and a reset advance it,
/// so a pinned context that merges automatically is not frozen.
public final class EditingContext {
  /// The store that it reads and saves to.
  public let store: Store
  /// What history calls the transactions of its saves.
  public let name: String?
  /// Who makes the edits, for history.
  public var author: String?
  /// What a save does with records that were changed in the store meanwhile.
  public var mergePolicy: MergePolicy
  /// The generation that its reads see; nil where they see the newest state.
  public internal(set) var generation: Generation?

  var working = WorkingSet()
  var fetched = FetchedQueries()
  /// The log's sequence up to which everything that is held was merged; nil before any reading.
  var position: Int64?
  /// How often edits were discarded, so that a save under way knows of it.
  var discards = 0
  private var isBusy = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Makes an empty context over a store.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - name: What history calls the transactions of its saves.
  ///   - author: Who makes the edits, for history.
  ///   - mergePolicy: What a save does with records that were changed in the store meanwhile.
  public init(
    _ store: Store, name: String? = nil, author: String? = nil,
    mergePolicy: MergePolicy = .error
  ) {
    self.store = store
    self.name = name
    self.author = author
    self.mergePolicy = mergePolicy
  }

  /// Whether anything is edited and not saved.
  public var hasChanges: Bool { working.hasChanges }

  /// The records to be inserted, in the order of their first edits.
  public var insertedRecords: [Record] {
    working.edits.filter { $0.isInserted && !$0.isDeleted }.compactMap(\.shown)
  }

  /// The records with edited properties, in the order of their first edits.
  public var updatedRecords: [Record] {
    working.edits.filter { !$0.isInserted && !$0.isDeleted }.compactMap(\.shown)
  }

  /// The records to be deleted, in the order of their first edits.
  public var deletedRecords: [RecordIdentity] {
    working.edits.filter(\.isDeleted).map(\.identity)
  }

  /// All records with unsaved edits, in the order of their first edits.
  public var changedRecords: [RecordIdentity] { working.edits.map(\.identity) }

  /// The edited values of a record, by property; empty where nothing is edited.
  public func changedValues(_ entity: String, _ id: RecordID) -> [String: Value] {
    working[RecordIdentity(entity, id)]?.changes ?? [:]
  }

  /// The record as it shows, without asking the store; nil where the context does not hold it.
  public subscript(entity: String, id: RecordID) -> Record? {
    working[RecordIdentity(entity, id)]?.shown
  }

  /// Runs one asynchronous step at a time, since each of them reads the store and then the
  /// working set, and a step between the two would be undone by older values.
  func exclusively<T>(_ body: () async throws -> T) async rethrows -> T {
    while isBusy {
      await withCheckedContinuation { waiting.append($0) }
    }
    isBusy = true
    defer {
      isBusy = false
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    return try await body()
  }
}
