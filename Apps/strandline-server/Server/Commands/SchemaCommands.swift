import Foundation
import StrandlineModels
import StrandlineTransport

/// The commands about what the environments know.
enum SchemaCommands {
  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "schema show", form: "[--environment ENVIRONMENT] [--json]",
        summary: "Shows the entities and properties that the environments know.",
        details: "Development learns them as devices send them; production refuses unknown ones.",
        example: "strandline-server schema show --environment production", words: 0...0,
        options: [.init("--environment", "ENVIRONMENT")], run: show),
      ServerCommand(
        name: "schema init", form: "FILE [--dry-run]",
        summary: "Makes a model file known to development.",
        details: "The file is what 'strandline --model' takes. Nothing is taken away.",
        example: "strandline-server schema init model.json --dry-run", words: 1...1,
        options: [.init("--dry-run")], run: initialize),
      ServerCommand(
        name: "schema deploy", form: "[--dry-run] [--yes]",
        summary: "Makes known to production what development has learned.",
        details: "It shows the difference first and only adds. What was deployed stays for good.",
        example: "strandline-server schema deploy", words: 0...0,
        options: [.init("--dry-run"), .init("--yes")], run: deploy),
    ]
  }

  private static func show(_ context: CommandContext) throws {
    let storage = try context.open().storage
    let environments =
      context.arguments["--environment"] == nil
      ? ZoneEnvironment.allCases : [try context.environment()]
    var list = ListOutput(["ENVIRONMENT", "ENTITY", "PROPERTIES"])
    for environment in environments {
      for (entity, properties) in try storage.schema(of: environment)
        .sorted(by: { $0.key < $1.key })
      {
        let names = properties.sorted()
        list.add(
          [environment.rawValue, entity, names.joined(separator: ", ")],
          .object([
            "environment": .string(environment.rawValue), "entity": .string(entity),
            "properties": .array(names.map { .string($0) }),
          ]))
      }
    }
    list.print(to: context.console, asJSON: context.isJSON, empty: "No entities are known.")
  }

  private static func initialize(_ context: CommandContext) throws {
    let path = context.words[0]
    let text: String
    do {
      text = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    } catch {
      throw CommandFailure(
        "cannotRead", "Could not read the model file '\(path)'.",
        advice: "Check the path, and that it is UTF-8 text.", cause: error)
    }
    let wanted = try Schema(parsing: text).syncedKeys
    var storage = try context.open(create: true).storage
    let difference = SchemaDifference(from: try storage.schema(of: .development), to: wanted)
    guard !difference.isEmpty else {
      return context.console.note("Development knows everything in '\(path)'.")
    }
    for line in difference.lines { context.console.print(line) }
    if context.arguments.has("--dry-run") {
      return context.console.note("This is what development would learn; nothing was changed.")
    }
    try extend(&storage, .development, difference)
    context.console.note("Development knows this now.")
  }

  private static func deploy(_ context: CommandContext) throws {
    var storage = try context.open().storage
    let difference = SchemaDifference(
      from: try storage.schema(of: .production), to: try storage.schema(of: .development))
    guard !difference.isEmpty else {
      return context.console.note("Production knows everything that development does.")
    }
    for line in difference.lines { context.console.print(line) }
    if context.arguments.has("--dry-run") {
      return context.console.note("This is what production would learn; nothing was changed.")
    }
    try context.console.confirm(
      "Production would learn this for good: entities and properties are never taken away.",
      "Deploy to production?", isConfirmed: context.isConfirmed)
    // What was shown, and not what development may have learned since.
    try extend(&storage, .production, difference)
    context.console.note("Production knows this now.")
  }

  private static func extend(
    _ storage: inout SQLiteServerStorage, _ environment: ZoneEnvironment,
    _ difference: SchemaDifference
  ) throws {
    try storage.transaction { (storage) throws(TransportError) in
      try storage.extend(environment, by: difference.added)
    }
  }
}
