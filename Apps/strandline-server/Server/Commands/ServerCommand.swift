import Foundation
package import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// One command of the program: how it is called, what it says of itself, and what it does.
struct ServerCommand: Sendable {
  /// What it is called, one word or two.
  let name: String
  /// The words and options that follow, for people.
  let form: String
  /// What it does, in one sentence.
  let summary: String
  /// What else a person should know.
  var details = ""
  /// A call that works.
  let example: String
  /// The least and the greatest number of words that follow.
  let words: ClosedRange<Int>
  /// The options that it takes beside those of all.
  var options: [CommandArguments.Option] = []
  /// Carries it out.
  let run: @Sendable (CommandContext) async throws -> Void

  /// The options that all commands take.
  static let common: [CommandArguments.Option] = [
    .init("--data", "DIR"), .init("--json"), .init("--help"), .init("--version"),
  ]

  /// How it is called, in full.
  var usage: String { ["strandline-server", name, form].joined(separator: " ") }
}

/// What a command has to work with.
struct CommandContext: Sendable {
  /// The words after the command.
  let words: [String]
  /// The options.
  let arguments: CommandArguments
  /// The data folder.
  let folder: String
  let console: ServerConsole
  let clock: WallClock

  /// Whether results are to be JSON.
  var isJSON: Bool { arguments.has("--json") }
  /// Whether every question is answered with yes.
  var isConfirmed: Bool { arguments.has("--yes") }
  /// The time, in milliseconds since 1970.
  var now: Int64 { clock.milliseconds }

  /// Opens the server's data beside whoever else uses it.
  func open(create: Bool = false) throws(CommandFailure) -> OpenedData {
    do {
      return try OpenedData(folder: folder, create: create)
    } catch {
      let failure = CommandFailure.translated(error)
      throw CommandFailure(
        failure.codeName, failure.message, advice: failure.advice, exitCode: .data, cause: error)
    }
  }

  /// An authority before a storage, which words its advice for the keeper of a server.
  func authority(_ storage: SQLiteServerStorage) -> Authority<SQLiteServerStorage> {
    Authority(
      storage: storage, advice: .server, clock: clock, random: SystemRandomNumberGenerator())
  }

  /// The value of `--environment`.
  func environment() throws(CommandFailure) -> ZoneEnvironment {
    guard let text = arguments["--environment"] else { return .development }
    if let environment = ZoneEnvironment(rawValue: text) { return environment }
    let names = ZoneEnvironment.allCases.map(\.rawValue)
    let hint = Suggestion.sentence(for: text, among: names)
    throw .usage(
      "Could not use the environment '\(text)', there is none of that name.",
      hint.isEmpty ? "Use development or production." : hint)
  }
}

extension AuthorityAdvice {
  /// What the keeper of a server can do.
  package static let server = AuthorityAdvice(
    deploySchema: "Deploy the schema to production with 'strandline-server schema deploy'.",
    damagedZone: "Restore the server from a backup with 'strandline-server restore FILE'.")
}

/// A server's data, open for a command; a restore waits until it is closed.
struct OpenedData {
  let storage: SQLiteServerStorage
  private let use: FolderLock

  init(folder: String, create: Bool) throws {
    if create { try FolderLock.makeFolder(folder) }
    guard FileManager.default.fileExists(atPath: folder) else {
      throw TransportError.noServerData(folder)
    }
    use = try FolderLock.takeUse(of: folder)
    storage = try SQLiteServerStorage(folder: folder, create: create, ownsCheckpoints: false)
  }
}

extension ServerStorage {
  /// Runs something as one transaction.
  mutating func transaction<Result>(
    _ durability: Durability = .durable,
    _ body: (inout Self) throws(TransportError) -> Result
  ) throws(TransportError) -> Result {
    try begin(durability)
    do {
      let result = try body(&self)
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }
}
