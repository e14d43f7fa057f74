import Foundation
import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import Testing

@Suite struct ConfigurationTests {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("strandline-\(UUID().uuidString)")

  @Test func `what is saved is what is loaded`() throws {
    var configuration = Configuration()
    configuration.model = "model.json"
    configuration.device = "laptop"
    configuration.zone = "notes"
    configuration.environment = "production"
    configuration.peers = [
      .init(transport: "directory:/mnt/share"),
      .init(
        transport: "https://example.com", tokenFile: "token", authorityFile: "ca.pem",
        account: "ann"),
      .init(transport: "memory", account: "bob", firstSync: .keepCloud),
    ]
    configuration.schedule = .init(
      automatic: false, debounceMilliseconds: 250, everySeconds: 60)
    configuration.retention = .init(
      historyDays: 30, keepsAllHistory: false, consumerDays: 60, tombstoneDays: 90)

    let loaded = try withFile("") { path in
      try configuration.save(path)
      return try Configuration.load(path)
    }

    #expect(loaded == configuration)
  }

  @Test func `an empty configuration stays empty`() throws {
    let loaded = try withFile("") { path in
      try Configuration().save(path)
      return try Configuration.load(path)
    }

    #expect(loaded == Configuration())
  }

  @Test func `a file that does not exist says nothing`() throws {
    #expect(try Configuration.load("/nonexistent/strandline.json") == Configuration())
  }

  @Test(arguments: [
    (#"{"zome": "x"}"#, "zome"),
    (#"{"schedule": {"often": true}}"#, "often"),
    (#"{"retention": {"historyDays": 1, "years": 2}}"#, "years"),
    (#"{"peers": [{"transport": "memory", "tokn": "x"}]}"#, "tokn"),
  ])
  func `an unknown key is named with its file`(text: String, key: String) throws {
    let error = try failure(of: text)

    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains("\"\(key)\""))
    #expect(error.message.contains("strandline.json"))
    #expect(error.advice.contains("Known keys are"))
  }

  @Test(arguments: [
    (#"{"zome": "x"}"#, "zone"), (#"{"retention": {"historydays": 1}}"#, "historyDays"),
    (#"{"peers": [{"transprot": "memory"}]}"#, "transport"),
  ])
  func `a mistyped key is answered with the one that was meant`(text: String, key: String) throws {
    #expect(try failure(of: text).advice.hasPrefix("Did you mean \(key)?"))
  }

  @Test(arguments: [
    (#"{"model": 3}"#, "model"),
    (#"{"zone": true}"#, "zone"),
    (#"{"environment": "staging"}"#, "environment"),
    (#"{"schedule": {"automatic": "yes"}}"#, "automatic"),
    (#"{"schedule": {"everySeconds": "60"}}"#, "everySeconds"),
    (#"{"schedule": {"everySeconds": -1}}"#, "everySeconds"),
    (#"{"schedule": {"everySeconds": 0}}"#, "everySeconds"),
    (#"{"schedule": {"debounceMilliseconds": 1.5}}"#, "debounceMilliseconds"),
    (#"{"schedule": []}"#, "schedule"),
    (#"{"retention": {"historyDays": 99999999999999}}"#, "historyDays"),
    (#"{"retention": {"consumerDays": "long"}}"#, "consumerDays"),
    (#"{"retention": {"keepAllHistory": 1}}"#, "keepAllHistory"),
    (#"{"retention": {"keepAllHistory": true, "historyDays": 3}}"#, "historyDays"),
    (#"{"peers": {}}"#, "peers"),
    (#"{"peers": "memory"}"#, "peers"),
    (#"{"peers": ["memory"]}"#, "peers"),
    (#"{"peers": [{}]}"#, "transport"),
    (#"{"peers": [{"transport": 1}]}"#, "transport"),
    (#"{"peers": [{"transport": "memory", "tokenFile": 1}]}"#, "tokenFile"),
    (#"{"peers": [{"transport": "memory", "caFile": []}]}"#, "caFile"),
    (#"{"peers": [{"transport": "memory", "account": true}]}"#, "account"),
    (#"{"peers": [{"transport": "memory", "account": ""}]}"#, "account"),
    (#"{"peers": [{"transport": "memory"}, {"transport": "memory"}]}"#, "twice"),
    (#"{"peers": [{"transport": "memory"}, {"transport": "none"}]}"#, "none"),
    (#"{"device": []}"#, "device"),
    (#"{"retention": {"tombstoneDays": -1}}"#, "tombstoneDays"),
    ("[]", "The file"),
  ])
  func `a value of the wrong kind is named`(text: String, name: String) throws {
    let error = try failure(of: text)

    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains(name))
  }

  @Test func `broken JSON is told with its line and column`() throws {
    let error = try failure(of: "{\n  \"model\": \n}")

    #expect(error.code == .invalidConfiguration)
    #expect(error.message.contains("line 3, column 1"))
  }

  private func failure(of text: String) throws -> SettingsError {
    try withFile(text) { path in
      try #require(throws: SettingsError.self) { try Configuration.load(path) }
    }
  }

  private func withFile<T>(_ text: String, _ body: (String) throws -> T) throws -> T {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appendingPathComponent("strandline.json")
    try text.write(to: url, atomically: true, encoding: .utf8)
    let result = Result { try body(url.path) }
    try FileManager.default.removeItem(at: folder)
    return try result.get()
  }
}
