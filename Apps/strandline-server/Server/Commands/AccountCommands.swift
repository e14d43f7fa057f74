import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// The commands about accounts.
enum AccountCommands {
  /// The longest name.
  private static let nameBytes = 200

  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "account add", form: "NAME",
        summary: "Adds an account, and makes the data folder where it is missing.",
        example: "strandline-server account add ann", words: 1...1, run: add),
      ServerCommand(
        name: "account list", form: "[--json]", summary: "Lists the accounts.",
        example: "strandline-server account list", words: 0...0, run: list),
      ServerCommand(
        name: "account remove", form: "NAME [--yes]",
        summary: "Removes an account with its zones and access tokens.",
        details: "Devices keep what they hold, and are told that their token opens nothing.",
        example: "strandline-server account remove ann", words: 1...1, options: [.init("--yes")],
        run: remove),
    ]
  }

  private static func add(_ context: CommandContext) throws {
    let name = context.words[0]
    guard (1...nameBytes).contains(name.utf8.count),
      !name.unicodeScalars.contains(where: {
        $0.properties.isWhitespace || $0.properties.generalCategory == .control
      })
    else {
      throw CommandFailure.usage(
        "Could not add the account, its name is empty, too long or has spaces in it.",
        "Choose a name of one word.")
    }
    var storage = try context.open(create: true).storage
    try storage.transaction { (storage) throws(TransportError) in
      guard try storage.account(named: name) == nil else {
        throw TransportError(
          .invalidRequest, "Could not add account '\(name)', there is one of that name.",
          advice: "Choose another name.", remedy: .stop)
      }
      try storage.add(Account(name: name, createdAt: context.now))
    }
    context.console.note(
      "Added account '\(name)'. Make an access token for each device with "
        + "'strandline-server token create \(name)'.")
  }

  private static func list(_ context: CommandContext) throws {
    let storage = try context.open().storage
    var list = ListOutput(["ACCOUNT", "CREATED", "ZONES", "TOKENS"])
    let zones = try storage.zones()
    for account in try storage.accounts() {
      let zoneCount = zones.count { $0.account == account.name && $0.purge == nil }
      let tokenCount = try storage.tokens(of: account.name).count {
        $0.isUsable(at: context.now)
      }
      list.add(
        [
          account.name, Timestamp.text(account.createdAt), String(zoneCount), String(tokenCount),
        ],
        .object([
          "account": .string(account.name), "created": .string(Timestamp.text(account.createdAt)),
          "zones": .integer(Int64(zoneCount)), "usableTokens": .integer(Int64(tokenCount)),
        ]))
    }
    list.print(to: context.console, asJSON: context.isJSON, empty: "There are no accounts.")
  }

  private static func remove(_ context: CommandContext) throws {
    var storage = try context.open().storage
    let name = try require(context.words[0], in: storage)
    let zones = try storage.zones().filter { $0.account == name && $0.purge == nil }
    let records = try zones.reduce(0) { try $0 + storage.recordCount(in: $1.id) }
    let tokens = try storage.tokens(of: name).count
    try context.console.confirm(
      "This removes account '\(name)' with \(zones.count.of("zone")), \(records.of("record")) and "
        + "\(tokens.of("access token")). It cannot be undone except from a backup.",
      "Remove account '\(name)'?", isConfirmed: context.isConfirmed)
    try storage.transaction { (storage) throws(TransportError) in
      try storage.removeAccount(named: name)
    }
    context.console.note("Removed account '\(name)'.")
  }

  /// The account of a name; one that is not there is named with the one that was meant.
  @discardableResult
  static func require(_ name: String, in storage: SQLiteServerStorage) throws -> String {
    if let account = try storage.account(named: name) { return account.name }
    let hint = Suggestion.sentence(for: name, among: try storage.accounts().map(\.name))
    throw CommandFailure(
      "unknownAccount", "Could not find account '\(name)', there is none of that name.",
      advice: hint.isEmpty ? "Run 'strandline-server account list' to see all." : hint)
  }
}
