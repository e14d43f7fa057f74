import StrandlineModels
import StrandlineREPL
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// The release gate against peers that are broken on purpose, in this process.
@MainActor @Suite(.timeLimit(.minutes(10))) struct VerificationTests {
  private func verify(
    _ registry: Registry, model: String? = nil
  ) async throws -> (code: Int32, gates: [String: JSONValue], errors: String) {
    let folder = try TemporaryFolder()
    var options = try Options(arguments: [
      "--home", folder.path("home"), "--device", "operator", "--transport", "dishonest", "--json",
      "verify",
    ])
    if let model {
      try folder.write(model, to: "model.json")
      options.model = folder.path("model.json")
    }
    let streams = StandardStreams.captured()
    let code = await StrandlineProgram.run(
      options, registry: registry, streams: streams, variables: [:])
    var gates: [String: JSONValue] = [:]
    for line in streams.capturedOutput.split(separator: "\n") {
      guard let gate = try JSONValue(parsing: String(line))["gate"],
        let name = gate["name"]?.string
      else { continue }
      gates[name] = gate
    }
    return (code.number, gates, streams.capturedErrors)
  }

  @Test(arguments: DishonestTransport.Defect.allCases)
  func `a peer that hides something fails the gate that is about it`(
    _ defect: DishonestTransport.Defect
  ) async throws {
    let (code, gates, errors) = try await verify(Registry([DishonestTransport.kind(defect)]))

    let failed = gates.filter { $0.value["outcome"]?.string == "failed" }
    #expect(failed.keys.sorted() == [defect.gate], "\(errors)")
    #expect(code == (defect == .account ? 4 : 1))
    #expect(gates["removal"]?["passed"]?.bool == true)
    #expect(errors.contains("Could not verify 'dishonest', 1 gate failed"), "\(errors)")
  }

  @Test func `a model without a synced text cannot be verified, and says so`() async throws {
    let (code, gates, errors) = try await verify(
      Registry([DishonestTransport.kind(.anything)]),
      model:
        #"{"version":1,"entities":{"Count":{"attributes":{"n":{"type":"integer","default":0}}}}}"#
    )

    #expect(code == 1)
    #expect(gates.isEmpty)
    #expect(errors.contains("the model has no synced entity with a text"), "\(errors)")
  }
}
