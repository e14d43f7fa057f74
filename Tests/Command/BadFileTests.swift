import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Files that the program cannot use are told apart, and left as they are.
struct BadFileTests {
  let folder: TemporaryFolder
  let device: CommandDevice

  init() throws {
    folder = try TemporaryFolder()
    device = CommandDevice("phone", in: folder)
  }

  private func error(of arguments: [String]) async throws -> (Outcome, JSONValue) {
    let outcome = try await device.run(["--json"] + arguments)
    let object = try outcome.errorObjects().first?["error"]
    return (outcome, try #require(object, "\(outcome.error)"))
  }

  @Test func `a damaged model names its file and place`() async throws {
    try folder.write("{\"entities\": {\n  \"A\": ", to: "phone/model.json")
    let (outcome, error) = try await error(of: ["status"])

    #expect(outcome.code == 3)
    #expect(error["message"]?.string?.contains(folder.path("phone/model.json")) == true)
    #expect(error["message"]?.string?.contains("line 2") == true, "\(error.text)")
    #expect(try folder.names(in: "phone") == ["model.json"])
  }

  @Test func `a model that cannot sync names every fault and its cure`() async throws {
    try folder.write(
      #"{"entities":{"A":{"attributes":{"x":{"type":"text"}},"unique":[["x"]]}}}"#,
      to: "phone/model.json")
    let (outcome, error) = try await error(of: ["status"])

    #expect(outcome.code == 3)
    for words in ["2 faults", "A.x is required and has no default", "unique constraint"] {
      #expect(error["message"]?.string?.contains(words) == true, "\(error.text)")
    }
    #expect(try folder.names(in: "phone") == ["model.json"])
  }

  @Test func `a store that is no database stays byte for byte`() async throws {
    var random = SeededGenerator(seed: 7)
    let noise = Data((0..<5000).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    try folder.write(noise, to: "phone/phone/store.sqlite")
    let (outcome, error) = try await error(of: ["save", "TodoItem", "name=x"])

    #expect(outcome.code == 3)
    #expect(error["code"]?.string == "notADatabase")
    #expect(error["message"]?.string?.contains(device.store) == true, "\(error.text)")
    #expect(try folder.bytes("phone/phone/store.sqlite") == noise)
    #expect(try folder.names(in: "phone/phone") == ["store.sqlite"])
  }

  @Test func `a database of another application stays byte for byte`() async throws {
    try folder.makeFolder("phone/phone")
    try await device.shell("CREATE TABLE theirs(a); INSERT INTO theirs VALUES(1)")
    let before = try folder.bytes("phone/phone/store.sqlite")
    let (outcome, error) = try await error(of: ["save", "TodoItem", "name=x"])

    #expect(outcome.code == 3)
    #expect(error["message"]?.string?.contains("another application") == true)
    #expect(error["recovery"]?.string?.contains("left as it is") == true)
    #expect(try folder.bytes("phone/phone/store.sqlite") == before)
    #expect(try folder.names(in: "phone/phone") == ["store.sqlite"])
  }

  @Test(
    arguments: [
      #"{"pears": []}"#, #"{"schedule": {"evrySeconds": 5}}"#, #"{"peers": [{"adress": "x"}]}"#,
    ])
  func `an unknown key of the configuration is named`(_ text: String) async throws {
    try folder.write(text, to: "phone/strandline.json")
    let (outcome, error) = try await error(of: ["status"])

    #expect(outcome.code == 3)
    #expect(error["code"]?.string == "invalidConfiguration")
    let key = try #require(["pears", "evrySeconds", "adress"].first { text.contains($0) })
    #expect(error["message"]?.string?.contains("\"\(key)\"") == true, "\(error.text)")
    #expect(error["recovery"]?.string?.contains("Known keys are") == true)
    #expect(try folder.names(in: "phone") == ["strandline.json"])
  }

  @Test func `a configuration that is no JSON is named with line and column`() async throws {
    try folder.write("{\n  \"zone\": default\n}\n", to: "phone/strandline.json")
    let (outcome, error) = try await error(of: ["status"])

    #expect(outcome.code == 3)
    #expect(error["message"]?.string?.contains("line 2, column 11") == true, "\(error.text)")
  }

  @Test func `a segment of the folder that is damaged is told and not applied`() async throws {
    try folder.makeFolder("shared")
    let transport = ["--transport", "directory:" + folder.path("shared")]
    try await device.succeed("save", "TodoItem", "name=x")
    _ = try await device.run(transport + ["sync"])
    let files = FileManager.default.enumerator(atPath: folder.path("shared"))?.allObjects ?? []
    let segment = try #require(
      files.compactMap { $0 as? String }.first { $0.hasSuffix(".seg") })
    var bytes = try folder.bytes("shared/" + segment)
    bytes[bytes.count / 2] ^= 0xFF
    try folder.write(bytes, to: "shared/" + segment)

    let other = CommandDevice("laptop", in: folder)
    let outcome = try await other.run(transport + ["sync"])
    #expect(try await other.succeed("count", "TodoItem") == "0")
    #expect(!outcome.wasKilled)
    #expect(!outcome.error.isEmpty)
  }
}
