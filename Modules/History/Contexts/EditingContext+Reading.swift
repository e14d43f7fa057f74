public import Foundation
public import StrandlineModels
public import StrandlineStorage

extension EditingContext {
  /// The record of that id as it shows here, or nil where there is none.
  public func record(_ entity: String, _ id: RecordID) async throws -> Record? {
    try await exclusively {
      if let held = working[RecordIdentity(entity, id)], held.hasChanges { return held.shown }
      let read = try await read { try $0.record(entity, id) }
      guard let record = read else {
        working[RecordIdentity(entity, id)] = nil
        return nil
      }
      return register(record)
    }
  }

  /// The records that a query names as they show here, unsaved edits included.
  ///
  /// - Throws: `unknownEntity`; `invalidQuery`, also where very many records with unsaved edits
  ///   would have to be looked at: save first.
  public func records(_ query: Query) async throws -> [Record] {
    try await exclusively {
      let unsaved = working.edits.map {
        UnsavedRecord(entity: $0.identity.entity, id: $0.identity.id, values: $0.shown?.values)
      }
      let found = try await read { try $0.records(query, with: unsaved) }
      fetched.insert(query)
      return found.compactMap(register)
    }
  }

  /// The typed record of that id as it shows here, or nil where there is none.
  public func fetch<M: Model>(_ model: M.Type, id: RecordID) async throws -> M? {
    try await record(M.entityName, id).map { try store.catalog.decode(model, $0) }
  }

  /// The typed records for which a predicate holds, unsaved edits included.
  ///
  /// - Throws: `invalidQuery` naming the part of the predicate that SQL cannot say.
  public func fetch<M: Model>(
    _ model: M.Type, where predicate: Predicate<M>? = nil, orderBy order: [Ordering<M>] = [],
    limit: Int? = nil
  ) async throws -> [M] {
    let query = try Query(model, where: predicate, orderBy: order, limit: limit)
    return try await records(query).map { try store.catalog.decode(model, $0) }
  }

  /// The typed record as it shows, without asking the store; nil where it is not held.
  public func held<M: Model>(_ model: M.Type, _ id: RecordID) throws -> M? {
    try self[M.entityName, id].map { try store.catalog.decode(model, $0) }
  }

  /// Runs reads on the generation, or on the newest state where none is pinned.
  func read<T: Sendable>(_ body: @Sendable (ReadTransaction) throws -> T) async throws -> T {
    let isFirst = position == nil
    let (result, head): (T, Int64?)
    if let generation {
      (result, head) = (try await generation.read(body), generation.token.sequence)
    } else {
      (result, head) = try await store.read { transaction in
        (try body(transaction), isFirst ? try transaction.logHead() : nil)
      }
    }
    if isFirst { position = head }
    return result
  }

  /// Takes up a record that was read, unless it has edits.
  func register(_ record: Record) -> Record? {
    if let held = working[record.identity], held.hasChanges { return held.shown }
    working[record.identity] = WorkingRecord(record)
    return record
  }
}
