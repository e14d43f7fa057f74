import Foundation
import Strandline

/// Where a session keeps its stores, and what its configuration says.
///
/// An option comes before an environment variable, that before the configuration file, and that
/// before the default.
struct Home {
  let folder: String
  let configurationPath: String
  let modelPath: String
  let device: String
  let zone: String
  let environment: ZoneEnvironment
  /// The transports that this run follows; none leaves everything on this device.
  let peers: [Configuration.Peer]
  /// An access token that the environment holds, for transports without a token file of theirs.
  let token: Secret?
  /// The certificate authorities that the environment names, for transports without a file of
  /// theirs.
  let authorityFile: String?
  /// When background cycles run, and how long things are kept, in this run.
  let schedule: Configuration.Schedule
  let retention: Configuration.Retention
  var configuration: Configuration

  init(options: Options, variables: [String: String]) throws {
    folder = options.home ?? variables["STRANDLINE_HOME"] ?? Self.defaultFolder(variables)
    configurationPath =
      options.config ?? variables["STRANDLINE_CONFIG"] ?? folder + "/strandline.json"
    configuration = try Configuration.load(configurationPath)
    modelPath =
      options.model ?? variables["STRANDLINE_MODEL"] ?? configuration.model
      ?? folder + "/model.json"
    device =
      options.device ?? variables["STRANDLINE_DEVICE"] ?? configuration.device ?? Self.hostName
    zone = options.zone ?? variables["STRANDLINE_ZONE"] ?? configuration.zone ?? "default"
    let environment =
      options.environment ?? variables["STRANDLINE_ENVIRONMENT"] ?? configuration.environment
      ?? "development"
    self.environment = ZoneEnvironment(rawValue: environment) ?? .development
    schedule = options.schedule(over: configuration.schedule)
    retention = options.retention(over: configuration.retention)
    let named = options.transport ?? variables["STRANDLINE_TRANSPORT"]
    let chosen =
      if let named {
        ([named] + options.moreTransports).map(configuration.peer)
      } else {
        configuration.peers
      }
    peers = chosen.filter { $0.transport != "none" }.map { $0.taking(options) }
    // A secret that was made for one server goes to no other: what a transport's own entry names
    // comes before what the environment says for all.
    token = variables["STRANDLINE_TOKEN"].flatMap { $0.isEmpty ? nil : Secret($0) }
    authorityFile = variables["STRANDLINE_CA_FILE"].flatMap { $0.isEmpty ? nil : $0 }
    try Self.check(device: device)
  }

  private static func defaultFolder(_ variables: [String: String]) -> String {
    if let data = variables["XDG_DATA_HOME"], data.hasPrefix("/") { return data + "/strandline" }
    return (variables["HOME"] ?? NSHomeDirectory()) + "/.local/share/strandline"
  }

  private static var hostName: String {
    let name = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init) ?? ""
    let allowed = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return allowed.isEmpty ? "device" : allowed
  }

  /// A device's name is the name of its folder too.
  static func check(device: String) throws(CommandError) {
    let isName = device.wholeMatch(of: /[\p{L}\p{N}][\p{L}\p{N}._-]*/) != nil
    guard isName, device.utf8.count <= 64 else {
      throw CommandError(
        "invalidDevice", "Could not use '\(device)' as the name of a device.",
        advice: "Use up to 64 letters, digits, dots, dashes and underscores.", exitCode: .usage)
    }
  }

  /// Where a device's store is.
  func storePath(of device: String) -> String { "\(folder)/\(device)/store.sqlite" }

  /// The devices that have a store here.
  func localDevices() -> [String] {
    // A home that is not there yet has no devices.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { FileManager.default.fileExists(atPath: storePath(of: $0)) }.sorted()
  }

  /// Reads the model file; the sample model is written where nobody named another one.
  func loadSchema(mayWrite: Bool) throws -> Schema {
    if !FileManager.default.fileExists(atPath: modelPath) {
      guard modelPath == folder + "/model.json" else {
        throw CommandError(
          "modelNotFound", "Could not read the model '\(modelPath)', there is no such file.",
          advice: "Check the path.", exitCode: .store)
      }
      if mayWrite { try writeSampleModel() }
      return try Schema(parsing: SampleModel.text)
    }
    return try Self.readModel(modelPath)
  }

  /// Reads a model file and checks it.
  static func readModel(_ path: String) throws -> Schema {
    let text: String
    do {
      text = try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw CommandError(
        "modelUnreadable", "Could not read the model '\(path)'.",
        advice: "Check that it may be read and is UTF-8 text.", exitCode: .store, cause: error)
    }
    do {
      return try Schema(parsing: text)
    } catch let error as any ExplainedError {
      // A fault of the model begins with the same words as this does.
      let head = "Could not use the model"
      let message =
        error.message.hasPrefix(head + ",")
        ? "\(head) '\(path)'\(error.message.dropFirst(head.count))"
        : "\(head) '\(path)'. \(error.message)"
      throw CommandError(
        error.codeName, message,
        advice: error.advice, exitCode: .store, cause: error)
    }
  }

  /// Whether the model stands where this home looks for one that nobody named.
  var keepsModel: Bool { modelPath == folder + "/model.json" }

  /// Puts another model in the place of the home's own.
  func writeModel(_ schema: Schema) throws {
    do {
      try Data(schema.modelFile.text.utf8).write(
        to: URL(fileURLWithPath: modelPath), options: .atomic)
    } catch {
      throw CommandError(
        "homeUnusable", "Could not write the model '\(modelPath)'.",
        advice: "Copy the new model there; the store has it already.", exitCode: .store,
        cause: error)
    }
  }

  private func writeSampleModel() throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      try Data(SampleModel.text.utf8).write(
        to: URL(fileURLWithPath: modelPath), options: .atomic)
    } catch {
      throw CommandError(
        "homeUnusable", "Could not write into the home folder '\(folder)'.",
        advice: "Name another with --home, or make it writable.", exitCode: .store, cause: error)
    }
  }

  /// Writes what a person chose at the prompt into the configuration file.
  mutating func remember(_ change: (inout Configuration) -> Void) throws {
    change(&configuration)
    try configuration.save(configurationPath)
  }
}

extension Options {
  /// The schedule of the configuration, or what this run has instead.
  func schedule(over configured: Configuration.Schedule) -> Configuration.Schedule {
    Configuration.Schedule(
      automatic: automatic ?? configured.automatic,
      debounceMilliseconds: debounceMilliseconds ?? configured.debounceMilliseconds,
      everySeconds: everySeconds ?? configured.everySeconds)
  }

  /// What is kept according to the configuration, or in this run.
  func retention(over configured: Configuration.Retention) -> Configuration.Retention {
    var retention = configured
    if let historyDays {
      retention.historyDays = historyDays
      retention.keepsAllHistory = nil
    }
    retention.keepsAllHistory = keepsAllHistory ?? retention.keepsAllHistory
    retention.consumerDays = consumerDays ?? retention.consumerDays
    retention.tombstoneDays = tombstoneDays ?? retention.tombstoneDays
    return retention
  }
}

extension Configuration {
  /// What the configuration says of a transport: its entry, or nothing beside its name.
  func peer(_ transport: String) -> Peer {
    peers.first { $0.transport == transport } ?? Peer(transport: transport)
  }
}

extension Configuration.Peer {
  /// The peer with the files that the options of the program name.
  ///
  /// Their paths are made whole, since they may be written to the configuration, which is read
  /// elsewhere too.
  func taking(_ options: Options) -> Configuration.Peer {
    taking(tokenFile: options.tokenFile, authorityFile: options.authorityFile)
  }

  /// The peer with other files, where some are named.
  func taking(tokenFile: String?, authorityFile: String?) -> Configuration.Peer {
    var peer = self
    peer.tokenFile = tokenFile.map(Self.wholePath) ?? peer.tokenFile
    peer.authorityFile = authorityFile.map(Self.wholePath) ?? peer.authorityFile
    return peer
  }

  /// The peer, and where it says nothing what was known of it.
  func keeping(_ known: Configuration.Peer) -> Configuration.Peer {
    Configuration.Peer(
      transport: transport, tokenFile: tokenFile ?? known.tokenFile,
      authorityFile: authorityFile ?? known.authorityFile, account: account ?? known.account,
      firstSync: firstSync ?? known.firstSync)
  }

  private static func wholePath(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }
}
