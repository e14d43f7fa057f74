import Foundation
import Strandline

/// The command that opens a record as JSON in the person's editor.
@MainActor enum EditCommand {
  static let all: [Command] = [
    Command(
      name: "edit", usage: "edit ID", summary: "Edit a record as JSON in $EDITOR.",
      example: "edit #1", group: .records, words: [.record],
      notes: "Only fields whose value became another one are saved. Text that cannot be used is "
        + "kept in its file.", run: edit)
  ]

  private static func edit(_ session: Session, _ input: CommandInput) async throws {
    try input.allow(options: [])
    try input.requireAtMost(1)
    let token = try input.argument(0, "the record")
    let key = try await RecordResolver(session: session).resolve(token)
    guard let entity = session.schema[key.entity] else { return }
    let record = try await present(key, session)
    let old = fields(of: record, entity, session.schema)
    let file = try EditedFile(old.prettyText, id: key.id)
    do {
      try await runEditor(file, session)
      let values = try await changes(to: old, in: try file.read(), of: entity, session)
      guard !values.isEmpty else {
        file.remove()
        return session.say(
          .object(["saved": .null]), "Nothing was changed in \(key.entity) \(key.id).")
      }
      try await save(values, in: key, session)
      file.remove()
      let names = entity.properties.map(\.name).filter { values[$0] != nil }
      session.tellSaved(key.entity, key.id, detail: "Changed: \(names.joined(separator: ", ")).")
    } catch {
      throw file.keeping(Interpreter.commandError(error))
    }
  }

  private static func present(_ key: RecordKey, _ session: Session) async throws -> Record {
    if let found = try await session.record(key) { return found }
    throw StorageError(
      .unknownRecord, "Could not edit \(key.entity) \(key.id), the store has no such record.",
      advice: "It may have been deleted.")
  }

  private static func fields(of record: Record, _ entity: Entity, _ schema: Schema) -> JSONValue {
    let text = RecordText(schema: schema)
    return .object(
      entity.properties.map {
        JSONValue.Member($0.name, text.json(record[$0.name], of: $0))
      })
  }

  private static func save(
    _ values: [String: Value], in key: RecordKey, _ session: Session
  ) async throws {
    if let context = session.device.context {
      try context.update(key.entity, key.id, values: values)
    } else {
      try await session.device.write(context: "edit") {
        try $0.update(key.entity, key.id, values: values)
      }
    }
  }

  // MARK: The editor

  private static func runEditor(_ file: EditedFile, _ session: Session) async throws {
    let named = ["VISUAL", "EDITOR"].lazy.compactMap { session.variables[$0] }
    let editor = named.first { !$0.isEmpty } ?? (session.isInteractive ? "vi" : nil)
    guard let editor else {
      throw CommandError(
        "noEditor", "Could not edit, no editor is named.", advice: "Set the variable EDITOR.")
    }
    // As other programs do it, so that an editor may have arguments.
    let words = ["/bin/sh", "-c", editor + " \"$@\"", editor, file.path]
    let status = try await session.lendTerminal { try await ForegroundProcess.run(words) }
    guard status == 0 else {
      throw CommandError(
        "editorFailed", "Could not edit, the editor '\(editor)' ended with \(status).",
        advice: "Nothing was saved.")
    }
  }

  // MARK: What was changed

  private static func changes(
    to old: JSONValue, in text: String, of entity: Entity, _ session: Session
  ) async throws -> [String: Value] {
    let new: JSONValue
    do {
      new = try JSONValue(parsing: text)
    } catch {
      throw CommandError(
        error.codeName,
        "Could not read the edited text at line \(error.line), column \(error.column), "
          + "\(error.reason).", advice: error.advice)
    }
    guard let members = new.members else {
      throw CommandError(
        "notAnObject", "Could not read the edited text, it is no JSON object.",
        advice: "Keep the braces around the fields.")
    }
    var values: [String: Value] = [:]
    for member in members where old[member.name] != member.value {
      values[member.name] = try await value(member, of: entity, session)
    }
    return values
  }

  private static func value(
    _ member: JSONValue.Member, of entity: Entity, _ session: Session
  ) async throws -> Value {
    guard let property = entity[member.name] else {
      let names = entity.properties.map(\.name)
      let hint = Suggestion.sentence(for: member.name, among: names)
      throw CommandError(
        "unknownField", "Could not set '\(member.name)', \(entity.name) has no such field.",
        advice: hint.isEmpty ? "Fields are: \(names.joined(separator: ", "))." : hint)
    }
    if member.value == .null, property.isOptional || property.destination != nil { return .null }
    if let destination = property.destination, let text = member.value.string {
      let id = RecordID(text)
      if try await session.device.read({ try $0.record(destination, id) }) != nil {
        return id.value
      }
    } else if member.value != .null, let type = property.attributeType,
      let value = type.value(from: member.value)
    {
      return value
    }
    let type = property.attributeType?.rawValue ?? "the id of a \(property.destination ?? "record")"
    throw CommandError(
      "wrongType", "Could not set '\(property.name)' to \(member.value.text), it is no \(type).",
      advice: "Write a value of that type.")
  }
}

/// The file that an editor gets; it is for its owner's eyes only.
struct EditedFile {
  let path: String

  init(_ text: String, id: RecordID) throws(CommandError) {
    let folder = FileManager.default.temporaryDirectory
    // An id may be any text, so it is no part of the name.
    path = folder.appending(path: "strandline-\(UUID().uuidString.lowercased()).json").path
    let isMade = FileManager.default.createFile(
      atPath: path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    guard isMade else {
      throw CommandError(
        "cannotWrite", "Could not write the record to '\(path)' for the editor.",
        advice: "Check the folder of temporary files, or set TMPDIR.")
    }
  }

  func read() throws(CommandError) -> String {
    do {
      return try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw CommandError(
        "cannotRead", "Could not read what the editor left in '\(path)'.",
        advice: "Save it as UTF-8 text.", cause: error)
    }
  }

  /// Takes the file away; that it cannot be is no reason to fail after a save.
  func remove() {
    unlink(path)
  }

  /// The error, and where the text is kept.
  func keeping(_ error: CommandError) -> CommandError {
    CommandError(
      error.codeName, error.message,
      advice: CommandInput.advice(error.advice, "The text is kept in '\(path)'."),
      exitCode: error.exitCode, cause: error.cause)
  }
}
