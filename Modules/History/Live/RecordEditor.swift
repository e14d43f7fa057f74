public import StrandlineModels
public import StrandlineStorage

/// An editor that is open on one record, and learns what happens to the record elsewhere.
///
/// It holds the values that are being edited, apart from the store until they are saved. When the
/// record is changed elsewhere, properties that are not edited follow; when it is deleted
/// elsewhere, the edited values are kept here and the person decides: ``discard()``,
/// ``keepAsDraft()`` or ``saveAsNewLife()``.
///
/// ```swift
/// let editor = try await RecordEditor.open("TodoItem", id, in: store)
/// try editor.set("name", to: .text("Buy oat milk"))
/// for try await change in editor.changes() where change == .deleted { askWhatToDo() }
/// ```
///
/// Like an ``EditingContext`` it is not `Sendable` and belongs to the actor that opened it.
public final class RecordEditor {
  /// How the editor stands to the record in the store.
  public enum State: Hashable, Sendable {
    /// The store has the record, as far as was observed.
    case open
    /// The record was deleted elsewhere; its values are kept until it is decided what to do.
    case deletedElsewhere
    /// The values are kept as a draft that follows no record.
    case draft
    /// The editor was closed and holds nothing.
    case closed
  }

  /// The store of the record.
  public let store: Store
  /// The record.
  public let identity: RecordIdentity
  /// How the editor stands to the record.
  public internal(set) var state = State.open

  let context: EditingContext
  /// The values of a record that the store has lost, and which of them were edited.
  var kept: [String: Value] = [:]
  var keptEdits: Set<String> = []
  /// The records on the other sides of many-to-many links, by relationship, while it lived.
  var links: [String: [RecordID]] = [:]

  /// What a save found out and ``changes()`` has not told yet.
  var untold: Change?

  private init(_ identity: RecordIdentity, _ context: EditingContext) {
    self.identity = identity
    self.context = context
    store = context.store
  }

  /// Opens an editor on a record of a store.
  ///
  /// - Parameters:
  ///   - entity: The entity's name.
  ///   - id: The record's id.
  ///   - store: The store.
  ///   - name: What history calls the transactions of its saves.
  ///   - author: Who edits, for history.
  ///   - mergePolicy: What a save does where the record was changed elsewhere in the properties
  ///     that are edited.
  /// - Returns: The editor, with nothing edited.
  /// - Throws: `unknownRecord`, `unknownEntity`.
  public static func open(
    _ entity: String, _ id: RecordID, in store: Store, name: String? = nil,
    author: String? = nil, mergePolicy: MergePolicy = .objectTrumps
  ) async throws -> RecordEditor {
    let context = EditingContext(store, name: name, author: author, mergePolicy: mergePolicy)
    guard try await context.record(entity, id) != nil else {
      throw StorageError.unknownRecord(id, of: entity)
    }
    let editor = RecordEditor(RecordIdentity(entity, id), context)
    try await editor.readLinks()
    return editor
  }

  /// The values as they show, edited or not; empty once the editor is closed.
  public var values: [String: Value] {
    state == .open ? context[identity.entity, identity.id]?.values ?? [:] : kept
  }

  /// The value of a property as it shows.
  public subscript(property: String) -> Value { values[property] ?? .null }

  /// The names of the properties that are edited and not saved.
  public var editedProperties: Set<String> {
    state == .open
      ? Set(context.changedValues(identity.entity, identity.id).keys) : keptEdits
  }

  /// Edits a property; what equals the stored value is no edit.
  ///
  /// A record that was deleted elsewhere and a draft can be edited on.
  ///
  /// - Throws: `unknownProperty`, `wrongType`; `constraint` for a property that the id is made
  ///   from; `unknownRecord` once the editor is closed.
  public func set(_ property: String, to value: Value) throws {
    switch state {
    case .open: try context.update(identity.entity, identity.id, values: [property: value])
    case .deletedElsewhere, .draft: try setKept([property: value])
    case .closed: throw StorageError.unknownRecord(identity.id, of: identity.entity)
    }
  }

  /// The values as a typed record.
  public func value<M: Model>(as model: M.Type) throws -> M {
    try store.catalog.decode(
      model, Record(entity: identity.entity, id: identity.id, values: values))
  }

  /// Edits the values as a typed record: what the body changes is an edit.
  public func edit<M: Model>(_ model: M.Type, _ body: (inout M) throws -> Void) throws {
    let before = try value(as: model)
    var after = before
    try body(&after)
    let old = try ModelEncoder.fields(of: before)
    for (field, other) in zip(try ModelEncoder.fields(of: after), old)
    where field.value != other.value && field.name != "id" {
      try set(field.name, to: field.value)
    }
  }

  private func setKept(_ values: [String: Value]) throws {
    let layout = try store.catalog.layout(named: identity.entity)
    for (name, value) in try layout.checked(values) where kept[name] != value {
      guard !layout.fixedProperties.contains(name) else {
        throw StorageError.fixedProperty(name, of: identity.entity)
      }
      kept[name] = value
      keptEdits.insert(name)
    }
  }
}
