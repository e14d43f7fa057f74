/// The records that a context holds, and which of them are edited, in the order of editing.
struct WorkingSet: Sendable {
  private var records: [RecordIdentity: WorkingRecord] = [:]
  private var order: [RecordIdentity: Int] = [:]
  private var next = 0

  subscript(identity: RecordIdentity) -> WorkingRecord? {
    get { records[identity] }
    set {
      records[identity] = newValue
      if newValue?.hasChanges != true {
        order[identity] = nil
      } else if order[identity] == nil {
        order[identity] = next
        next += 1
      }
    }
  }

  var identities: [RecordIdentity] { Array(records.keys) }
  var hasChanges: Bool { !order.isEmpty }

  /// The edited records in the order in which they were first edited.
  var edits: [WorkingRecord] {
    order.sorted { $0.value < $1.value }.compactMap { records[$0.key] }
  }

  func contains(_ identity: RecordIdentity) -> Bool { records[identity] != nil }

  mutating func removeAll() {
    self = WorkingSet()
  }
}
