import Strandline

/// Commands that read records.
@MainActor enum ReadCommands {
  static let all: [Command] = [
    Command(
      name: "list", usage: "list ENTITY [where CONDITION] [order by COLUMNS] [limit N]",
      summary: "List records; the condition is SQL over the columns.",
      example: "list TodoItem where done = 0 order by priority desc limit 10", group: .records,
      words: [.entity, .clauses], run: list),
    Command(
      name: "count", usage: "count ENTITY [where CONDITION]", summary: "Count records.",
      example: "count TodoItem where due is not null", group: .records,
      words: [.entity, .clauses], run: count),
    WatchCommand.command,
    Command(
      name: "show", usage: "show ID", summary: "Show all of a record.", example: "show #1",
      group: .records, words: [.record], run: show),
    Command(
      name: "sql", usage: "sql SELECT …", summary: "Read with plain SQL.",
      example: "sql SELECT done, count(*) FROM TodoItem GROUP BY done", group: .records,
      run: sql),
  ]

  private static func list(_ session: Session, _ input: CommandInput) async throws {
    let token = try input.argument(0, "the entity")
    let entity = try RecordCommands.entity(token, session)
    let syntax = try ListSyntax(input.tokenized, from: 2)
    let most = syntax.limit == nil ? session.rowsShown : nil
    var query = Query(
      entity.name, where: syntax.condition, orderBy: syntax.order, limit: syntax.limit)
    let edited = try await session.device.context?.records(query)
    let all = query
    query.limit = syntax.limit ?? most
    let limited = query
    let labels = References(schema: session.schema, entity: entity)
    let (records, names, count) = try await session.device.read { read in
      var records = try edited ?? read.records(limited)
      var count = records.count
      if let most, count >= most {
        count = try edited?.count ?? read.count(all)
        records = Array(records.prefix(most))
      }
      return (records, try labels.names(of: records, read), count)
    }
    show(records, of: entity, names, session)
    if count > records.count {
      session.streams.note(
        "+\(count - records.count) more. Add limit N, or use mode \(session.mode.rawValue) "
          + "--rows all.")
    }
  }

  /// Shows records as the last listing, with the names of those that they refer to.
  static func show(
    _ records: [Record], of entity: Entity, _ names: [Value: String], _ session: Session
  ) {
    session.device.listing = records.map { RecordKey(entity: entity.name, id: $0.id) }
    let text = RecordText(schema: session.schema)
    let isTable = session.mode == .table || session.mode == .line
    let rows = records.enumerated().map { index, record in
      (isTable ? [JSONValue.integer(Int64(index + 1))] : [])
        + entity.properties.map { property in
          isTable
            ? names[record[property.name]].map(JSONValue.string)
              ?? text.json(record[property.name], of: property)
            : text.json(record[property.name], of: property)
        } + [.string(record.id.description)]
    }
    let columns = (isTable ? ["#"] : []) + entity.properties.map(\.name) + ["id"]
    session.show(
      ResultTable(columns: columns, rows: rows), json: { records.map(text.json) },
      whenEmpty: "No \(entity.name) to list.")
  }

  private static func count(_ session: Session, _ input: CommandInput) async throws {
    let entity = try RecordCommands.entity(input.argument(0, "the entity"), session)
    let syntax = try ListSyntax(input.tokenized, from: 2)
    let query = Query(entity.name, where: syntax.condition)
    let edited = try await session.device.context?.records(query).count
    let count = try await session.device.read { try edited ?? $0.count(query) }
    session.show(
      .object(["entity": .string(entity.name), "count": .integer(Int64(count))]), "\(count)")
  }

  private static func show(_ session: Session, _ input: CommandInput) async throws {
    try input.requireAtMost(1)
    let key = try await RecordResolver(session: session).resolve(input.argument(0, "the record"))
    guard let entity = session.schema[key.entity] else { return }
    let labels = References(schema: session.schema, entity: entity)
    let edited = try await session.device.context?.record(key.entity, key.id)
    let isEditing = session.device.context != nil
    let (found, names, related) = try await session.device.read { read in
      let record = isEditing ? edited : try read.record(key.entity, key.id)
      var counts: [(String, Int)] = []
      if let record {
        for side in entity.toMany {
          counts.append((side.name, try read.related(record, side.name).count))
        }
      }
      return (record, try labels.names(of: record.map { [$0] } ?? [], read), counts)
    }
    guard let record = found else {
      throw StorageError(
        .unknownRecord, "Could not show \(key.entity) \(key.id), the store has no such record.",
        advice: "It may have been deleted.")
    }
    let text = RecordText(schema: session.schema)
    var columns = ["entity", "id"]
    var row: [JSONValue] = [.string(key.entity), .string(key.id.description)]
    for property in entity.properties {
      columns.append(property.name)
      let value = record[property.name]
      row.append(
        names[value].map { .string("\($0) (\(text.text(value, of: property)))") }
          ?? text.json(value, of: property))
    }
    for (name, count) in related {
      columns.append(name)
      row.append(.integer(Int64(count)))
    }
    let table = ResultTable(columns: columns, rows: [row])
    session.show(
      text.json(record), String(table.text(.line, style: session.style).dropLast()))
  }

  private static func sql(_ session: Session, _ input: CommandInput) async throws {
    _ = try input.argument(0, "the SQL")
    let statement = input.tokenized.text(from: 1)
    let result: (columns: [String], rows: [[Value]])
    do {
      result = try await session.device.readSaved { try $0.table(of: statement) }
    } catch let error as StorageError where error.code == .readOnly {
      throw CommandError(
        error.codeName, "Could not run the SQL, the command sql only reads.",
        advice: "Use save, set and delete, or the sqlite3 shell.", cause: error)
    }
    let rows = result.rows.map { row in row.map { AttributeType.data.json(from: $0) } }
    session.show(
      ResultTable(columns: result.columns, rows: rows),
      json: {
        rows.map { row in
          .object(zip(result.columns, row).map { JSONValue.Member($0, $1) })
        }
      }, whenEmpty: "No rows.")
  }
}

/// The names of records that others refer to, for people who read a list.
struct References: Sendable {
  let schema: Schema
  let entity: Entity

  /// The first text of each record that is referred to; what is not here has none.
  func names(of records: [Record], _ read: ReadTransaction) throws -> [Value: String] {
    var names: [Value: String] = [:]
    for property in entity.properties {
      guard let destination = property.destination.flatMap({ schema[$0] }),
        let label = destination.properties.first(where: { $0.attributeType == .text })
      else { continue }
      for record in records {
        let value = record[property.name]
        guard names[value] == nil, let id = RecordID(value) else { continue }
        names[value] = try read.record(destination.name, id)?[label.name].text
      }
    }
    return names
  }
}
