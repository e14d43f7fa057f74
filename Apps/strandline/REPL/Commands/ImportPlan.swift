import Strandline

/// Turns the rows of a file into records, and finds every row that cannot be one.
struct ImportPlan: Sendable {
  /// A row that is ready to be saved.
  struct Row: Sendable {
    var id: RecordID?
    var values: [String: Value]
  }

  let path: String
  let entity: Entity
  let map: FieldMap
  let progress: Progress

  /// How many broken rows an error lists.
  private static let listed = 10

  /// The rows as records.
  ///
  /// - Throws: `brokenRows` naming the lines that cannot be saved; nothing is saved then.
  func rows(_ contents: ImportContents) throws -> [Row] {
    var problems = contents.problems.map(\.description)
    var broken = contents.problemCount
    try checkMap(contents)
    let isCSV = contents.format == .csv
    progress.begin("Checked", total: contents.rows.count)
    var rows: [Row] = []
    rows.reserveCapacity(contents.rows.count)
    for row in contents.rows {
      try progress.advance()
      do {
        rows.append(try record(row, isCSV: isCSV))
      } catch {
        broken += 1
        if problems.count < Self.listed { problems.append("Line \(row.line): " + error.message) }
      }
    }
    guard broken == 0 else { throw error(broken, problems) }
    return rows
  }

  private func error(_ broken: Int, _ problems: [String]) -> CommandError {
    let shown = problems.prefix(Self.listed)
    let more = broken > shown.count ? " And \(broken - shown.count) more." : ""
    return CommandError(
      "brokenRows",
      "Could not import '\(path)', \(broken) row\(broken == 1 ? "" : "s") cannot be saved. "
        + shown.joined(separator: " ") + more,
      advice: "Correct the file; nothing was saved.")
  }

  private func checkMap(_ contents: ImportContents) throws(CommandError) {
    let fields = Set(contents.rows.flatMap { $0.fields.map(\.name) })
    for (field, property) in map.properties.sorted(by: { $0.key < $1.key }) {
      if !fields.contains(field), !contents.rows.isEmpty {
        let hint = Suggestion.sentence(for: field, among: fields.sorted())
        throw CommandError(
          "unknownFileField", "Could not map '\(field)', the file has no field of that name.",
          advice: hint.isEmpty ? "Fields are: \(fields.sorted().joined(separator: ", "))." : hint)
      }
      if !property.isEmpty, property != "id", entity[property] == nil {
        throw unknownProperty(property)
      }
    }
    let strangers = fields.subtracting(map.properties.keys)
      .filter { $0 != "id" && entity[$0] == nil }.sorted()
    guard let stranger = strangers.first else { return }
    throw CommandError(
      "unknownFileField",
      "Could not import '\(path)', \(entity.name) has no field '\(stranger)'.",
      advice: "Use --map \(stranger)=PROPERTY, or --map \(stranger)= to leave it out.")
  }

  private func unknownProperty(_ name: String) -> CommandError {
    let names = entity.properties.map(\.name)
    let hint = Suggestion.sentence(for: name, among: names)
    return CommandError(
      "unknownField", "Could not map to '\(name)', \(entity.name) has no field of that name.",
      advice: hint.isEmpty ? "Fields are: id, \(names.joined(separator: ", "))." : hint)
  }

  private func record(_ row: ImportRow, isCSV: Bool) throws(CommandError) -> Row {
    var record = Row(id: nil, values: [:])
    for field in row.fields {
      let name = map.properties[field.name] ?? field.name
      if name.isEmpty { continue }
      if name == "id" {
        record.id = try id(field.value)
      } else if let property = entity[name] {
        let json = field.value == .null && isCSV ? missing(property) : field.value
        if let value = try value(json, of: property) { record.values[name] = value }
      }
    }
    return record
  }

  /// What a CSV file means where it has nothing: spreadsheets write empty text so.
  private func missing(_ property: Property) -> JSONValue {
    property.attributeType == .text && !property.isOptional ? .string("") : .null
  }

  private func id(_ json: JSONValue) throws(CommandError) -> RecordID? {
    switch json {
    case .null, .string(""): return nil
    case .string(let text): return RecordID(text)
    case .integer(let number): return RecordID(text: String(number))
    default: throw CommandError("wrongType", "The id is neither text nor a whole number.")
    }
  }

  /// A value of the file; nil where the file has nothing and the default is right.
  private func value(
    _ json: JSONValue, of property: Property
  ) throws(CommandError) -> Value? {
    if json == .null || (json == .string("") && property.attributeType != .text) {
      return property.isOptional ? .null : nil
    }
    guard let type = property.attributeType else {
      return try id(json).map(\.value)
    }
    if let value = type.value(from: json) { return value }
    if case .string(let text) = json,
      let value = ValueReader.value(text, type: type, isQuoted: true)
    {
      return value
    }
    throw CommandError(
      "wrongType", "'\(ResultTable.plainText(json))' in \(property.name) is no \(type.rawValue).")
  }

  /// Saves rows; one whose id is there changes that record, so importing again doubles nothing.
  static func apply(
    _ rows: [Row], to entity: String, _ write: WriteTransaction, _ progress: Progress
  ) throws -> (inserted: Int, updated: Int) {
    var inserted = 0
    var updated = 0
    progress.begin("Saved", total: rows.count)
    for row in rows {
      try progress.advance()
      let id = row.id ?? write.identity(of: row.values, in: entity)
      if let id, let present = try write.record(entity, id) {
        let changes = row.values.filter { present[$0.key] != $0.value }
        if changes.isEmpty { continue }
        try write.update(entity, id, values: changes)
        updated += 1
      } else {
        try write.insert(entity, id: id, values: row.values)
        inserted += 1
      }
    }
    return (inserted, updated)
  }
}

extension WriteTransaction {
  /// The id that the values of an identity-keyed record make; nil for any other entity.
  fileprivate func identity(of values: [String: Value], in entity: String) -> RecordID? {
    guard let found = schema[entity], !found.identity.isEmpty else { return nil }
    return RecordID(
      text: found.identityText { values[$0] ?? found[$0]?.defaultValue ?? .null })
  }
}
