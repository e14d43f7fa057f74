import StrandlineModels
import StrandlineStorage

/// Reads a configuration out of JSON, and names what it cannot use.
struct ConfigurationReader {
  let path: String

  func read(_ json: JSONValue) throws -> Configuration {
    try check(
      json, "The file",
      ["model", "device", "zone", "environment", "peers", "schedule", "retention"])
    var configuration = Configuration()
    configuration.model = try string(json, "model")
    configuration.device = try string(json, "device")
    configuration.zone = try string(json, "zone")
    configuration.environment = try string(json, "environment")
    if let environment = configuration.environment,
      !["development", "production"].contains(environment)
    {
      throw wrong("\"environment\" is '\(environment)'", "Use development or production.")
    }
    configuration.peers = try list(json, "peers").map(readPeer)
    try checkPeers(configuration.peers)
    if let schedule = json["schedule"] {
      try check(
        schedule, "\"schedule\"", ["automatic", "debounceMilliseconds", "everySeconds"])
      configuration.schedule = Configuration.Schedule(
        automatic: try flag(schedule, "automatic"),
        debounceMilliseconds: try number(schedule, "debounceMilliseconds"),
        everySeconds: try number(schedule, "everySeconds", from: 1))
    }
    if let retention = json["retention"] {
      try check(
        retention, "\"retention\"",
        ["historyDays", "keepAllHistory", "consumerDays", "tombstoneDays"])
      configuration.retention = Configuration.Retention(
        historyDays: try number(retention, "historyDays"),
        keepsAllHistory: try flag(retention, "keepAllHistory"),
        consumerDays: try number(retention, "consumerDays"),
        tombstoneDays: try number(retention, "tombstoneDays"))
      if configuration.retention.keepsAllHistory == true,
        configuration.retention.historyDays != nil
      {
        throw wrong(
          "\"retention\" has \"historyDays\" and \"keepAllHistory\"", "Leave one of them away.")
      }
    }
    return configuration
  }

  private func readPeer(_ peer: JSONValue) throws -> Configuration.Peer {
    try check(
      peer, "An entry of \"peers\"",
      ["transport", "tokenFile", "caFile", "account", "firstSync"])
    guard let transport = try string(peer, "transport") else {
      throw wrong("an entry of \"peers\" has no \"transport\"", "Name one, such as memory.")
    }
    return Configuration.Peer(
      transport: transport, tokenFile: try string(peer, "tokenFile"),
      authorityFile: try string(peer, "caFile"), account: try string(peer, "account"),
      firstSync: try firstSync(peer))
  }

  private func firstSync(_ peer: JSONValue) throws -> FirstSync? {
    guard let text = try string(peer, "firstSync") else { return nil }
    guard let policy = FirstSync(rawValue: text) else {
      throw wrong("\"firstSync\" is '\(text)'", "Use union, local or cloud.")
    }
    return policy
  }

  private func checkPeers(_ peers: [Configuration.Peer]) throws {
    if peers.contains(where: { $0.account?.isEmpty == true }) {
      throw wrong("an \"account\" of \"peers\" is empty", "Name it, or leave the key away.")
    }
    var seen: Set<String> = []
    if let twice = peers.first(where: { !seen.insert($0.transport).inserted }) {
      throw wrong(
        "\"peers\" has the \"transport\" '\(twice.transport)' twice", "Leave one of them away.")
    }
    if peers.count > 1, peers.contains(where: { $0.transport == "none" }) {
      throw wrong(
        "\"peers\" has the \"transport\" 'none' beside others",
        "Leave it away, or the others.")
    }
  }

  private func check(_ json: JSONValue, _ place: String, _ known: [String]) throws {
    guard let members = json.members else {
      throw wrong("\(place) is not an object", "Write it in braces: {…}.")
    }
    if let stranger = members.first(where: { !known.contains($0.name) }) {
      let hint = Suggestion.sentence(for: stranger.name, among: known)
      throw wrong(
        "\(place) has the key \"\(stranger.name)\", which is not known",
        (hint.isEmpty ? "" : hint + " ") + "Known keys are: " + known.joined(separator: ", ")
          + ".")
    }
  }

  private func string(_ json: JSONValue, _ name: String) throws -> String? {
    guard let value = json[name], value != .null else { return nil }
    guard let string = value.string else {
      throw wrong("\"\(name)\" is no text", "Write it in quotes.")
    }
    return string
  }

  private func list(_ json: JSONValue, _ name: String) throws -> [JSONValue] {
    guard let value = json[name], value != .null else { return [] }
    guard let elements = value.elements else {
      throw wrong("\"\(name)\" is no list", "Write it in brackets: […].")
    }
    return elements
  }

  private func flag(_ json: JSONValue, _ name: String) throws -> Bool? {
    guard let value = json[name], value != .null else { return nil }
    guard let flag = value.bool else {
      throw wrong("\"\(name)\" is neither true nor false", "Write true or false.")
    }
    return flag
  }

  private func number(
    _ json: JSONValue, _ name: String, from least: Int64 = 0
  ) throws -> Int? {
    guard let value = json[name], value != .null else { return nil }
    guard let number = value.integer, number >= least, number < 1 << 40 else {
      throw wrong("\"\(name)\" is no whole number from \(least)", "Write digits without quotes.")
    }
    return Int(number)
  }

  private func wrong(_ what: String, _ advice: String) -> SettingsError {
    SettingsError(
      .invalidConfiguration, "Could not use the configuration '\(path)', \(what).",
      advice: advice)
  }
}
