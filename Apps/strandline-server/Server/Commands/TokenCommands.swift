import StrandlineModels
import StrandlineTransport

/// The commands about access tokens.
enum TokenCommands {
  private static let dayMilliseconds: Int64 = 24 * 3600 * 1000
  /// The longest time that a token may be made for.
  private static let greatestDays: Int64 = 36_500
  /// The longest name of a device.
  private static let nameBytes = 200

  static var all: [ServerCommand] {
    [
      ServerCommand(
        name: "token create", form: "ACCOUNT [--device NAME] [--expires DAYS]",
        summary: "Makes an access token and prints it, this once.",
        details: "Only a hash of it is kept. Give each device its own, so that one can be revoked.",
        example: "strandline-server token create ann --device phone > phone.token", words: 1...1,
        options: [.init("--device", "NAME"), .init("--expires", "DAYS")], run: create),
      ServerCommand(
        name: "token list", form: "[ACCOUNT] [--json]", summary: "Lists access tokens.",
        example: "strandline-server token list ann", words: 0...1, run: list),
      ServerCommand(
        name: "token revoke", form: "NUMBER|PREFIX",
        summary: "Revokes an access token at once.",
        details: "A running server refuses it from then on and ends its streams of hints.",
        example: "strandline-server token revoke 3", words: 1...1, run: revoke),
    ]
  }

  private static func create(_ context: CommandContext) throws {
    var storage = try context.open().storage
    let account = try AccountCommands.require(context.words[0], in: storage)
    let device = context.arguments["--device"]
    guard (device?.utf8.count ?? 0) <= nameBytes else {
      throw CommandFailure.usage(
        "Could not make the token, the device's name is too long.", "Choose a shorter one.")
    }
    let expiry = try expiry(context)
    let secret = TokenSecret()
    let token = AccessToken(
      account: account, prefix: secret.prefix, hash: secret.hash, device: device,
      createdAt: context.now, expiresAt: expiry)
    let saved = try storage.transaction { (storage) throws(TransportError) in
      guard try storage.account(named: account) != nil else {
        throw TransportError(
          .invalidRequest, "Could not make the token, its account was just removed.",
          remedy: .stop)
      }
      return try storage.save(token)
    }
    context.console.print(secret.text)
    context.console.note(
      "This is token \(saved.number); it is not shown again. Keep it in a file that only its "
        + "device can read.")
  }

  private static func expiry(_ context: CommandContext) throws(CommandFailure) -> Int64? {
    guard let text = context.arguments["--expires"] else { return nil }
    guard let days = Int64(text), (1...greatestDays).contains(days) else {
      throw .usage(
        "Could not make the token, '\(text)' is no number of days.",
        "Write a whole number such as --expires 90.")
    }
    return context.now + days * dayMilliseconds
  }

  private static func list(_ context: CommandContext) throws {
    let storage = try context.open().storage
    let account = try context.words.first.map { try AccountCommands.require($0, in: storage) }
    var list = ListOutput(["TOKEN", "ACCOUNT", "PREFIX", "DEVICE", "CREATED", "EXPIRES", "STATE"])
    for token in try storage.tokens(of: account) {
      let expiry = token.expiresAt.map(Timestamp.text)
      let state = state(of: token, at: context.now)
      list.add(
        [
          String(token.number), token.account, token.prefix, token.device ?? "-",
          Timestamp.text(token.createdAt), expiry ?? "never", state,
        ],
        .object([
          "token": .integer(token.number), "account": .string(token.account),
          "prefix": .string(token.prefix), "device": JSONValue(token.device),
          "created": .string(Timestamp.text(token.createdAt)), "expires": JSONValue(expiry),
          "revoked": JSONValue(token.revokedAt.map(Timestamp.text)), "state": .string(state),
        ]))
    }
    list.print(to: context.console, asJSON: context.isJSON, empty: "There are no access tokens.")
  }

  private static func state(of token: AccessToken, at now: Int64) -> String {
    if token.revokedAt != nil { return "revoked" }
    return token.isUsable(at: now) ? "usable" : "expired"
  }

  private static func revoke(_ context: CommandContext) throws {
    var storage = try context.open().storage
    let token = try find(context.words[0], in: storage)
    guard token.revokedAt == nil else {
      context.console.note("Token \(token.number) was revoked before.")
      return
    }
    var revoked = token
    revoked.revokedAt = context.now
    let written = revoked
    try storage.transaction { (storage) throws(TransportError) in
      _ = try storage.save(written)
    }
    context.console.note(
      "Revoked token \(token.number) of account '\(token.account)'"
        + (token.device.map { " for device '\($0)'." } ?? "."))
  }

  /// The token that a number, a readable beginning or the secret itself means.
  private static func find(
    _ text: String, in storage: SQLiteServerStorage
  ) throws -> AccessToken {
    if let secret = TokenSecret(text), let token = try storage.token(withHash: secret.hash) {
      return token
    }
    let tokens = try storage.tokens(of: nil)
    if let number = Int64(text), let token = tokens.first(where: { $0.number == number }) {
      return token
    }
    let matches = text.count > "strand_".count ? tokens.filter { $0.prefix.hasPrefix(text) } : []
    guard let match = matches.first else {
      throw CommandFailure(
        "unknownToken", "Could not find token '\(text)', there is none like it.",
        advice: "Run 'strandline-server token list' to see numbers and prefixes.")
    }
    guard matches.count == 1 else {
      throw CommandFailure(
        "ambiguousToken",
        "Could not tell which token '\(text)' means, it is one of "
          + matches.map { String($0.number) }.joined(separator: ", ") + ".",
        advice: "Name it by its number.")
    }
    return match
  }
}
