import Foundation
public import StrandlineModels
public import StrandlineStorage

/// What the configuration file `strandline.json` says; every key is optional.
public struct Configuration: Hashable, Sendable {
  /// A transport to follow.
  public struct Peer: Hashable, Sendable {
    /// The kind and address, such as `directory:/mnt/share`.
    public var transport: String
    /// The file that holds an access token.
    public var tokenFile: String?
    /// The file of certificate authorities in PEM that are trusted instead of the system's.
    public var authorityFile: String?
    /// The account that must be found there; any other is not synced with.
    public var account: String?
    /// What counts in the first sync with it where both sides have data.
    public var firstSync: FirstSync?

    /// Names a transport.
    public init(
      transport: String, tokenFile: String? = nil, authorityFile: String? = nil,
      account: String? = nil, firstSync: FirstSync? = nil
    ) {
      self.transport = transport
      self.tokenFile = tokenFile
      self.authorityFile = authorityFile
      self.account = account
      self.firstSync = firstSync
    }
  }

  /// When background cycles run.
  public struct Schedule: Hashable, Sendable {
    /// Whether they run at all.
    public var automatic: Bool?
    /// How long saves are gathered after a cycle, in milliseconds.
    public var debounceMilliseconds: Int?
    /// How often a cycle runs without any other reason, in seconds; at least 1.
    public var everySeconds: Int?

    /// Makes a schedule.
    public init(
      automatic: Bool? = nil, debounceMilliseconds: Int? = nil, everySeconds: Int? = nil
    ) {
      self.automatic = automatic
      self.debounceMilliseconds = debounceMilliseconds
      self.everySeconds = everySeconds
    }
  }

  /// How long what is no longer needed is kept.
  public struct Retention: Hashable, Sendable {
    /// How many days of history; nil for the default.
    public var historyDays: Int?
    /// Whether all history is kept, whatever its age.
    public var keepsAllHistory: Bool?
    /// For how many days a consumer that does not save its place holds history back.
    public var consumerDays: Int?
    /// For how many days at least deletes are remembered.
    ///
    /// They are remembered for good, so any number is kept to.
    public var tombstoneDays: Int?

    /// Makes a policy.
    public init(
      historyDays: Int? = nil, keepsAllHistory: Bool? = nil, consumerDays: Int? = nil,
      tombstoneDays: Int? = nil
    ) {
      self.historyDays = historyDays
      self.keepsAllHistory = keepsAllHistory
      self.consumerDays = consumerDays
      self.tombstoneDays = tombstoneDays
    }
  }

  /// The model file.
  public var model: String?
  /// The device to begin with.
  public var device: String?
  /// The zone's name.
  public var zone: String?
  /// The environment, `development` or `production`.
  public var environment: String?
  /// The transports to follow.
  public var peers: [Peer]
  /// When background cycles run.
  public var schedule: Schedule
  /// How long what is no longer needed is kept.
  public var retention: Retention

  /// Makes a configuration that says nothing.
  public init() {
    peers = []
    schedule = Schedule()
    retention = Retention()
  }
}

extension Configuration {
  /// Reads a configuration file; one that does not exist says nothing.
  ///
  /// - Throws: `unreadableConfiguration`, `invalidConfiguration`; both name the file.
  public static func load(_ path: String) throws -> Configuration {
    guard FileManager.default.fileExists(atPath: path) else { return Configuration() }
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw SettingsError(
        .unreadableConfiguration, "Could not read the configuration '\(path)'.",
        advice: "Check that it may be read and is UTF-8 text.", cause: error)
    }
    let json: JSONValue
    do {
      json = try JSONValue(parsing: text)
    } catch {
      throw SettingsError(
        .invalidConfiguration,
        "Could not use the configuration '\(path)', line \(error.line), column \(error.column): "
          + "\(error.reason).", advice: "Correct the file there.", cause: error)
    }
    return try ConfigurationReader(path: path).read(json)
  }

  /// Writes the configuration file as a whole.
  public func save(_ path: String) throws {
    let data = Data((json.prettyText + "\n").utf8)
    do {
      try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw SettingsError(
        .unreadableConfiguration, "Could not write the configuration '\(path)'.",
        advice: "Check that the folder may be written.", cause: error)
    }
  }

  /// The configuration as JSON, with the keys that say something.
  public var json: JSONValue {
    var members: [JSONValue.Member] = []
    func add(_ name: String, _ value: JSONValue) {
      if value != .null && value != .object([JSONValue.Member]()) {
        members.append(.init(name, value))
      }
    }
    add("model", JSONValue(model))
    add("device", JSONValue(device))
    add("zone", JSONValue(zone))
    add("environment", JSONValue(environment))
    if !peers.isEmpty { add("peers", .array(peers.map(Self.json))) }
    add(
      "schedule",
      Self.object([
        ("automatic", schedule.automatic.map(JSONValue.bool)),
        ("debounceMilliseconds", schedule.debounceMilliseconds.map { .integer(Int64($0)) }),
        ("everySeconds", schedule.everySeconds.map { .integer(Int64($0)) }),
      ]))
    add(
      "retention",
      Self.object([
        ("historyDays", retention.historyDays.map { .integer(Int64($0)) }),
        ("keepAllHistory", retention.keepsAllHistory.map(JSONValue.bool)),
        ("consumerDays", retention.consumerDays.map { .integer(Int64($0)) }),
        ("tombstoneDays", retention.tombstoneDays.map { .integer(Int64($0)) }),
      ]))
    return .object(members)
  }

  private static func json(_ peer: Peer) -> JSONValue {
    object([
      ("transport", .string(peer.transport)), ("tokenFile", peer.tokenFile.map(JSONValue.string)),
      ("caFile", peer.authorityFile.map(JSONValue.string)),
      ("account", peer.account.map(JSONValue.string)),
      ("firstSync", (peer.firstSync?.rawValue).map(JSONValue.string)),
    ])
  }

  private static func object(_ pairs: [(String, JSONValue?)]) -> JSONValue {
    .object(pairs.compactMap { name, value in value.map { JSONValue.Member(name, $0) } })
  }
}
