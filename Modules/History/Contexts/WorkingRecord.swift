import StrandlineModels
import StrandlineStorage

/// One record in memory: what the store held, and what was changed since.
///
/// Every property of which nothing is edited follows the store; an edited one keeps the value
/// that the edit rests on, so that a save can tell whether the store changed it too.
struct WorkingRecord: Sendable {
  let identity: RecordIdentity
  /// The values that the edits rest on; for a record to be inserted, the defaults.
  private(set) var base: [String: Value]
  /// The newest values that are known to stand in the store; nil where it has no such record.
  private(set) var stored: [String: Value]?
  /// The values that were edited, none of them equal to its base.
  private(set) var changes: [String: Value] = [:]
  /// Whether it is new, and its values are not in the store.
  private(set) var isInserted: Bool
  /// Whether it is to be deleted.
  private(set) var isDeleted = false

  /// What taking up the store's state did.
  struct Absorption {
    /// The properties that show another value now.
    var changed: Set<String> = []
    /// The edited properties for which the store has a new value of its own.
    var contested: Set<String> = []
    /// Whether the store lost the record.
    var isGone = false
    /// Whether the store has the record again.
    var isBack = false
  }

  /// Holds a record as it was read.
  init(_ record: Record) {
    identity = record.identity
    base = record.values
    stored = record.values
    isInserted = false
  }

  /// Holds a new record; what equals the default is no edit.
  init(inserting identity: RecordIdentity, defaults: [String: Value], values: [String: Value]) {
    self.identity = identity
    base = defaults
    isInserted = true
    set(values)
  }

  /// Whether a save would write something.
  var hasChanges: Bool { isDeleted ? !isInserted : isInserted || !changes.isEmpty }

  /// Whether the store lost the record while it is held here.
  var isGone: Bool { stored == nil && !isInserted }

  /// All values as they show, deleted or not.
  var values: [String: Value] { base.merging(changes) { _, changed in changed } }

  /// The record as it shows; nil once it is deleted here, or in the store without edits here.
  var shown: Record? {
    if isDeleted || (isGone && changes.isEmpty) { return nil }
    return Record(entity: identity.entity, id: identity.id, values: values)
  }

  // MARK: Editing

  mutating func set(_ values: [String: Value]) {
    for (name, value) in values {
      changes[name] = base[name] == value ? nil : value
    }
  }

  mutating func delete() {
    isDeleted = true
    changes = [:]
  }

  /// Takes a delete back by giving the record other values.
  mutating func insertAgain(_ values: [String: Value]) {
    isDeleted = false
    set(values)
  }

  mutating func rollback() {
    changes = [:]
    isDeleted = isInserted
    if let stored { base = stored }
  }

  // MARK: Taking up the store's state

  /// Takes up what stands in the store now, and keeps what is edited.
  mutating func absorb(_ row: [String: Value]?) -> Absorption {
    guard !isInserted else { return Absorption() }
    var result = Absorption()
    guard let row else {
      result.isGone = stored != nil
      stored = nil
      return result
    }
    result.isBack = stored == nil
    for (name, value) in row where stored.map({ $0[name] != value }) ?? true {
      if let edited = changes[name] {
        if edited != value { result.contested.insert(name) }
      } else if !isDeleted && base[name] != value {
        base[name] = value
        result.changed.insert(name)
      }
    }
    stored = row
    // What the store holds as well is no edit any more.
    for (name, value) in changes where row[name] == value {
      base[name] = value
      changes[name] = nil
    }
    return result
  }

  /// Rests the edits on what stands in the store now, so that a save finds no conflict.
  ///
  /// Without a row the record becomes a new one that has all values which show.
  mutating func rebase(on row: [String: Value]?, defaults: [String: Value]) {
    let wanted = isDeleted ? [:] : isGone || row == nil ? values : changes
    stored = row
    base = row ?? defaults
    isInserted = row == nil
    changes = [:]
    set(wanted)
  }

  /// Drops what a save has written, and keeps what was edited since.
  ///
  /// - Parameters:
  ///   - sent: The record as it was when the save began.
  ///   - row: What stands in the store after the save.
  ///   - keepsLater: Whether there may be later edits; not after a rollback.
  mutating func settle(_ sent: WorkingRecord, stored row: [String: Value]?, keepsLater: Bool) {
    let before = sent.values
    let later = keepsLater ? values.filter { before[$0.key] != $0.value } : [:]
    if row == nil && sent.isDeleted && keepsLater && !isDeleted {
      // It was inserted again while its delete was being saved.
      rebase(on: nil, defaults: [:])
      return
    }
    isDeleted = keepsLater && isDeleted && !sent.isDeleted
    isInserted = false
    stored = row
    base = row ?? base
    changes = [:]
    if !isDeleted { set(later) }
  }
}
