import StrandlineModels
import StrandlineStorage

/// The lives and stamps of all records.
struct StoreFacts: Sendable {
  let shadows: [RecordKey: ShadowRow]

  init(_ read: ReadTransaction) throws {
    var shadows: [RecordKey: ShadowRow] = [:]
    for entity in read.schema.entities {
      for (id, shadow) in try read.shadows(entity.name) {
        shadows[RecordKey(entity: entity.name, id: id)] = shadow
      }
    }
    self.shadows = shadows
  }
}

/// What a statement left behind, in words that do not depend on the time of day.
struct WriterOutcome: Hashable, Sendable {
  /// The rows of history, or the words of the refusal.
  let history: String
  /// Whose transactions history shows them in.
  let origin: String
  /// What became of lives and stamps.
  let lives: String

  /// - Parameters:
  ///   - read: The store after the statement and one empty transaction.
  ///   - refusal: The error of a statement that was refused.
  ///   - before: The lives and stamps before the statement.
  ///   - head: The last sequence before the statement.
  /// - Throws: Errors of the store.
  init(_ read: ReadTransaction, refusal: String?, before: StoreFacts, head: Int64) throws {
    let rows = try read.log(after: head).map(Self.text)
    let recorded = rows.isEmpty ? "nothing" : rows.joined(separator: "; ")
    history =
      refusal.map { rows.isEmpty ? "refused: \($0)" : "WRONG: \($0), but \(recorded)" }
      ?? recorded
    origin = try Self.origins(read, head, rows.count)
    let after = try StoreFacts(read)
    var lives: [String] = []
    for key in Set(before.shadows.keys).union(after.shadows.keys).sorted(by: Self.order) {
      let change = Self.change(before.shadows[key], after.shadows[key])
      if let change { lives.append("\(Self.name(key.id)): \(change)") }
    }
    let broken = try read.brokenInvariants().map(\.description)
    self.lives = (lives + broken).joined(separator: "; ")
  }

  private static func text(_ change: LoggedChange) -> String {
    let properties = change.properties.sorted().joined(separator: ", ")
    return "\(change.kind) \(change.entity) \(name(change.id))"
      + (properties.isEmpty ? "" : " (\(properties))")
  }

  private static func origins(
    _ read: ReadTransaction, _ head: Int64, _ count: Int
  ) throws -> String {
    let transactions = try read.transactions(after: head)
    guard !transactions.isEmpty else { return count == 0 ? "" : "WRONG: unsealed" }
    guard transactions.count == 1, transactions[0].first == head + 1,
      transactions[0].last == head + Int64(count)
    else { return "WRONG: \(transactions)" }
    return transactions[0].origin == -1 ? "anotherClient" : "thisProcess"
  }

  private static func order(_ left: RecordKey, _ right: RecordKey) -> Bool {
    (left.entity, name(left.id)) < (right.entity, name(right.id))
  }

  private static func name(_ id: RecordID) -> String {
    for tag in ["t"] {
      for item in ["a", "b"] where id == .link(RecordID(text: tag), RecordID(text: item)) {
        return tag + "+" + item
      }
    }
    if id == WriterStatement.fixedBlob { return "blob" }
    return id.value.text ?? "new"
  }

  /// What became of one record, or nil; what breaks the rules of lives is called wrong.
  private static func change(_ before: ShadowRow?, _ after: ShadowRow?) -> String? {
    guard before != after else { return nil }
    guard let after else { return "WRONG: its life is forgotten" }
    guard let before else { return after.isAlive ? begun(after) : ended(after, from: after.born) }
    if after.born == before.born {
      return after.isAlive ? edited(before, after) : ended(after, from: before.born)
    }
    guard after.born > before.born, after.born > after.died else {
      return "WRONG: \(before) became \(after)"
    }
    guard before.isAlive else {
      return after.died == before.died ? "another " + begun(after) : "WRONG: \(after)"
    }
    return after.died == before.born
      ? "its life ends, another " + begun(after) : "WRONG: another life without an end"
  }

  private static func begun(_ row: ShadowRow) -> String {
    let later = row.stamps.filter { $0.value > row.born }.keys.sorted()
    let wrong = row.stamps.filter { $0.value < row.born }.keys.sorted()
    return (row.born == .firstLife ? "first life begins" : "life begins")
      + (later.isEmpty ? "" : ", later are \(later.joined(separator: ", "))")
      + (wrong.isEmpty ? "" : ", WRONG are \(wrong.joined(separator: ", "))")
  }

  private static func ended(_ row: ShadowRow, from born: Stamp) -> String {
    row.died == born && row.deleted >= born ? "its life ends" : "WRONG: \(row)"
  }

  private static func edited(_ before: ShadowRow, _ after: ShadowRow) -> String {
    guard after.died == before.died, after.deleted == before.deleted else {
      return "WRONG: its life changed"
    }
    let risen = after.stamps.filter { $0.value > before.stamps[$0.key] ?? .unset }
    let fallen = after.stamps.filter { $0.value < before.stamps[$0.key] ?? .unset }
    guard fallen.isEmpty else { return "WRONG: \(fallen.keys.sorted()) fell" }
    return risen.keys.sorted().joined(separator: ", ") + (risen.count == 1 ? " rises" : " rise")
  }
}
