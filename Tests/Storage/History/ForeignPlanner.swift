import StrandlineModels
import StrandlineStorage

/// One statement of another client, and the time at which it runs.
struct ForeignStep: Sendable {
  var sql: String
  var arguments: [Value] = []
  var milliseconds: Int64
  /// Whether SQLite must refuse it.
  var isRefused = false

  /// The statement with its arguments written out, for a program that takes text only.
  var script: String {
    var arguments = arguments[...]
    return sql.split(separator: "?", omittingEmptySubsequences: false).reduce(into: "") {
      $0 += $0.isEmpty ? $1 : Self.literal(arguments.popFirst() ?? .null) + $1
    }
  }

  private static func literal(_ value: Value) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): String(number)
    case .text(let text): text.literal
    case .blob(let bytes): "x'\(Hexadecimal.text(bytes))'"
    }
  }
}

extension HistoryPlanner {
  /// A transaction of another client, or a statement without one.
  mutating func foreignSteps(foreignKeys: Bool, recursiveTriggers: Bool) -> [ForeignStep] {
    let client = (foreignKeys, recursiveTriggers)
    guard chance(2, in: 3) else { return [statement(client)] }
    let before = model
    var steps = [plain("BEGIN")]
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      if chance(1, in: 4) {
        steps += savepoint(client)
      } else {
        steps.append(statement(client))
      }
    }
    if chance(1, in: 5) {
      model = before
      return steps + [plain("ROLLBACK")]
    }
    return steps + [plain("COMMIT")]
  }

  private mutating func savepoint(_ client: (Bool, Bool)) -> [ForeignStep] {
    let before = model
    var steps = [plain("SAVEPOINT s"), statement(client), statement(client)]
    if chance(1, in: 2) {
      model = before
      steps.append(plain("ROLLBACK TO s"))
      if chance(1, in: 2) { steps.append(statement(client)) }
    }
    return steps + [plain("RELEASE s")]
  }

  private func plain(_ sql: String) -> ForeignStep {
    ForeignStep(sql: sql, milliseconds: milliseconds)
  }

  private mutating func statement(_ client: (Bool, Bool)) -> ForeignStep {
    moveClock()
    let author = HistoryModel.Author(
      stamp: model.foreignStamp(at: milliseconds), isForeign: true, foreignKeys: client.0,
      recursiveTriggers: client.1)
    let shape = shape()
    return switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: insert(shape, author)
    case 4..<7: update(shape, author)
    case 7: updateAll(shape, author)
    case 8: delete(shape, author)
    default: chance(1, in: 3) ? deleteAll(shape, author) : delete(shape, author)
    }
  }

  private mutating func insert(
    _ shape: HistoryShape, _ author: HistoryModel.Author
  ) -> ForeignStep {
    let key = key(of: shape)
    var values = values(of: shape, isChecked: author.foreignKeys)
    let isThere = model[key].isAlive
    var upserted = values
    if shape.isIdentityKeyed { values["k"] = key.id.value }
    let names = values.keys.sorted()
    let columns = (["id"] + names).joined(separator: ", ")
    let marks = Array(repeating: "?", count: names.count + 1).joined(separator: ", ")
    let into = "INTO \(key.entity)(\(columns)) VALUES (\(marks))"
    var step = plain("")
    step.arguments = [key.id.value] + names.map { values[$0] ?? .null }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      step.sql = "INSERT \(into)"
      step.isRefused = isThere
      if !isThere { model.insert(key, values, by: author) }
    case 1:
      step.sql = "INSERT OR IGNORE \(into)"
      if !isThere { model.insert(key, values, by: author) }
    case 2:
      step.sql = "INSERT OR REPLACE \(into)"
      model.replace(key, values, by: author)
    default:
      upserted = upserted.filter { $0.key != "k" }
      let sets = upserted.keys.sorted().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
      step.sql =
        "INSERT \(into) ON CONFLICT(id) DO " + (sets.isEmpty ? "NOTHING" : "UPDATE SET \(sets)")
      if isThere {
        model.update(key, upserted, by: author)
      } else {
        model.insert(key, values, by: author)
      }
    }
    return step
  }

  private mutating func update(
    _ shape: HistoryShape, _ author: HistoryModel.Author
  ) -> ForeignStep {
    let key = key(of: shape)
    let values = values(of: shape, isChecked: author.foreignKeys)
    var step = updating(shape, values, condition: " WHERE id = ?")
    step.arguments.append(key.id.value)
    model.update(key, values, by: author)
    return step
  }

  private mutating func updateAll(
    _ shape: HistoryShape, _ author: HistoryModel.Author
  ) -> ForeignStep {
    let values = values(of: shape, isChecked: author.foreignKeys)
    for key in model.living(shape.name) { model.update(key, values, by: author) }
    return updating(shape, values, condition: "")
  }

  /// An update; one of no values changes the id, which is refused or changes nothing.
  private mutating func updating(
    _ shape: HistoryShape, _ values: [String: Value], condition: String
  ) -> ForeignStep {
    let names = values.keys.sorted()
    let or = ["", " OR REPLACE", " OR IGNORE"].randomElement(using: &random) ?? ""
    let sets = names.isEmpty ? "id = id" : names.map { "\($0) = ?" }.joined(separator: ", ")
    var step = plain("UPDATE\(or) \(shape.name) SET \(sets)\(condition)")
    step.arguments = names.map { values[$0] ?? .null }
    return step
  }

  private mutating func delete(
    _ shape: HistoryShape, _ author: HistoryModel.Author
  ) -> ForeignStep {
    let key = key(of: shape)
    model.delete(key, by: author)
    var step = plain("DELETE FROM \(key.entity) WHERE id = ?")
    step.arguments = [key.id.value]
    return step
  }

  private mutating func deleteAll(
    _ shape: HistoryShape, _ author: HistoryModel.Author
  ) -> ForeignStep {
    for key in model.living(shape.name) { model.delete(key, by: author) }
    return plain("DELETE FROM \(shape.name)")
  }
}
