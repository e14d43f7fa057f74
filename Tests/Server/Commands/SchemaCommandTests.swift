import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct SchemaCommandTests {
  private static let model = """
    {"version": 1, "entities": {"Item": {"attributes": {
      "name": {"type": "text", "default": ""}, "done": {"type": "boolean", "default": false}}}}}
    """

  @Test func `a model file is learned by development after a look at it`() async throws {
    let keeper = try Keeper()
    try keeper.folder.write(Self.model, to: "model.json")
    let file = keeper.folder.path("model.json")

    let dry = await keeper.type("schema", "init", file, "--dry-run")
    let before = try FileCloud.open(keeper.data).schema(of: .development)
    let done = await keeper.type("schema", "init", file)
    let again = await keeper.type("schema", "init", file)

    #expect(dry.output == ["+ Item", "+ Item.done", "+ Item.name"] && before == [:])
    #expect(done.code == .done && done.output == dry.output)
    #expect(again.code == .done && again.output == [])
    #expect(
      try FileCloud.open(keeper.data).schema(of: .development) == ["Item": ["done", "name"]])
  }

  @Test func `production refuses what it does not know, until it was deployed`() async throws {
    let keeper = try Keeper()
    var cloud = try FileCloud(at: keeper.data)
    let request = OpenRequest(
      device: FileCloud.info(1), zoneName: "default", environment: .production, expected: nil,
      schema: ["Note": ["name"]], proof: nil)

    let refused = Result { () throws(TransportError) in
      try cloud.authority.open(request, account: FileCloud.account)
    }
    let dry = await keeper.type("schema", "deploy", "--dry-run")
    let unasked = await keeper.type("schema", "deploy")
    let deployed = await keeper.type("schema", "deploy", answers: ["yes"])

    guard case .failure(let error) = refused else {
      Issue.record("Production took what it does not know.")
      return
    }
    #expect(error.code == .schemaRefused && error.message.contains("'Note' with property 'name'"))
    #expect(dry.output == ["+ Note", "+ Note.done", "+ Note.name"])
    #expect(unasked.code == .failed && deployed.code == .done)
    #expect(try cloud.authority.open(request, account: FileCloud.account).wasCreated)
    #expect(await keeper.type("schema", "deploy").output == [])
  }

  @Test func `what the environments know is shown`() async throws {
    let keeper = try Keeper()
    _ = try FileCloud(at: keeper.data)
    _ = await keeper.type("schema", "deploy", "--yes")

    let all = try await keeper.type("schema", "show", "--json").objects
    let one = try await keeper.type("schema", "show", "--json", "--environment", "production")
      .objects

    #expect(all.map { $0["environment"]?.string } == ["development", "production"])
    #expect(one.map { $0["entity"]?.string } == ["Note"])
  }

  @Test func `a model that is wrong says where and teaches nothing`() async throws {
    let keeper = try Keeper()
    try keeper.folder.write("{\"entities\": {}}", to: "model.json")

    let outcome = await keeper.type("schema", "init", keeper.folder.path("model.json"))
    let missing = await keeper.type("schema", "init", keeper.folder.path("other.json"))

    #expect(outcome.code == .failed && outcome.said.contains("names no entities"))
    #expect(missing.code == .failed && missing.said.contains("other.json"))
  }
}
