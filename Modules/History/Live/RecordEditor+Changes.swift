import StrandlineModels
import StrandlineStorage

extension RecordEditor {
  /// What happened to the record elsewhere.
  public enum Change: Hashable, Sendable {
    /// Others changed these properties; those that are edited here as well keep the edit.
    case changed(Set<String>)
    /// It was deleted; its values are kept in the editor.
    case deleted
    /// It is there again after a delete, and the edits rest on its new values.
    case returned
  }

  /// What happens to the record elsewhere, as it is observed, until the task is cancelled.
  ///
  /// It ends as well when the store closes, and with the first commit after the editor was closed
  /// or its values became a draft. The editor's own saves are no changes.
  public func changes() -> Changes {
    // The stream begins before the first look, so that nothing falls between the two.
    Changes(editor: self, changes: store.changes())
  }

  /// Looks once whether something happened to the record elsewhere, and takes it up.
  ///
  /// - Returns: What happened since the last look; nil for nothing.
  @discardableResult
  public func look() async throws -> Change? {
    if let untold, isFollowing {
      self.untold = nil
      return untold
    }
    switch state {
    case .open: return try await follow()
    case .deletedElsewhere: return try await lookForReturn()
    case .draft, .closed: return nil
    }
  }

  /// The sequence of changes of one editor.
  public struct Changes: AsyncSequence {
    fileprivate let editor: RecordEditor
    fileprivate let changes: AsyncStream<StoreChange>

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
      Iterator(editor: editor, changes: changes.makeAsyncIterator())
    }

    /// The state of one listening.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let editor: RecordEditor
      fileprivate var changes: AsyncStream<StoreChange>.Iterator

      /// Waits for the next change; nil at the end.
      public mutating func next() async throws -> Change? {
        try await next(isolation: #isolation)
      }

      /// Waits for the next change on the caller's actor.
      public mutating func next(
        isolation actor: isolated (any Actor)?
      ) async throws(any Error) -> Change? {
        while editor.isFollowing && !Task.isCancelled {
          if let change = try await editor.look() { return change }
          if await changes.next(isolation: actor) == nil { return nil }
        }
        return nil
      }
    }
  }

  fileprivate var isFollowing: Bool { state == .open || state == .deletedElsewhere }

  private func follow() async throws -> Change? {
    let before = values
    let edited = editedProperties
    let merge = try await context.merge()
    guard state == .open else { return nil }
    if merge.deleted.contains(identity) || context[identity.entity, identity.id] == nil {
      // Edits that were made during the merge are still held; without any, all is as before.
      let held = context[identity.entity, identity.id]
      keep(held?.values ?? before, edited.union(editedProperties))
      return .deleted
    }
    try await readLinks()
    let others = merge.changedProperties(of: identity)
    return others.isEmpty ? nil : .changed(others)
  }

  /// Goes over to keeping the values by itself, since the store has the record no longer.
  func keep(_ values: [String: Value], _ edits: Set<String>) {
    kept = values
    keptEdits = edits
    state = .deletedElsewhere
    context.rollback()
  }

  private func lookForReturn() async throws -> Change? {
    guard try await context.record(identity.entity, identity.id) != nil,
      state == .deletedElsewhere
    else { return nil }
    let edits = kept.filter { keptEdits.contains($0.key) }
    try context.update(identity.entity, identity.id, values: edits)
    kept = [:]
    keptEdits = []
    state = .open
    return .returned
  }

  /// Remembers the record's links as long as it has some.
  func readLinks() async throws {
    let identity = identity
    let sides = try store.catalog.layout(named: identity.entity).entity.toMany
      .filter { $0.link != nil }.map(\.name)
    guard !sides.isEmpty else { return }
    let found = try await store.read { transaction -> [String: [RecordID]]? in
      // Of a record that is gone by now, the links have gone with it.
      guard let record = try transaction.record(identity.entity, identity.id) else { return nil }
      var found: [String: [RecordID]] = [:]
      for side in sides { found[side] = try transaction.related(record, side).map(\.id) }
      return found
    }
    if let found { links = found }
  }
}
