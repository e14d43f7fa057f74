import Foundation
import StrandlineModels
import StrandlineTestSupport
import Testing

/// Where the program finds access tokens and certificate authorities, and in which order.
@Suite(.timeLimit(.minutes(10))) struct TokenAndAuthorityTests {
  let folder: TemporaryFolder
  let server: ServerProcess
  let wrong = "not-a-token-of-this-server"

  init() throws {
    folder = try TemporaryFolder()
    server = ServerProcess(in: folder)
    try folder.write(wrong, to: "wrong")
  }

  /// Runs the program with variables of the environment.
  private func run(
    _ variables: [String: String], _ words: String..., following transport: String? = nil
  ) async throws -> Outcome {
    let options = ["--home", folder.path("phone"), "--device", "phone"]
    return try await ChildProcess(
      folder: folder, executable: "env",
      arguments: variables.map { "\($0)=\($1)" } + [try BuiltProgram.path()] + options
        + (transport.map { ["--transport", $0] } ?? []) + words
    ).run()
  }

  private func configure(_ members: String) throws {
    try folder.write(
      #"{"peers": [{"transport": "\#(server.address)"\#(members)}]}"#,
      to: "phone/strandline.json")
  }

  private func peers() throws -> [JSONValue] {
    try JSONValue(parsing: try folder.read("phone/strandline.json"))["peers"]?.elements ?? []
  }

  @Test func `a token comes from an option, the transport's entry or the environment`()
    async throws
  {
    try await server.start()
    let file = try await server.signUp("ann")
    let token = try folder.read("token").trimmingCharacters(in: .newlines)

    try configure("")
    #expect(try await run([:], "sync").code == 4)
    #expect(try await run(["STRANDLINE_TOKEN": token], "sync").code == 0)
    #expect(try await run(["STRANDLINE_TOKEN": wrong], "sync").code == 4)
    #expect(try await run(["STRANDLINE_TOKEN": wrong], "sync", "--token-file", file).code == 0)

    // An entry's own token goes before one that the environment has for all servers.
    try configure(#", "tokenFile": "\#(file)""#)
    #expect(try await run(["STRANDLINE_TOKEN": wrong], "sync").code == 0)
    try configure(#", "tokenFile": "token""#)
    #expect(try await run([:], "sync").code == 0)
    let refused = try await run([:], "--token-file", folder.path("wrong"), "sync")
    #expect(refused.code == 4)
    #expect(!(refused.error + refused.output).contains(wrong))
  }

  @Test func `peer add and transport use take the files, and write them down`() async throws {
    try await server.start()
    _ = try await server.signUp("ann")
    let device = CommandDevice("phone", in: folder)

    try await device.succeed(input: "peer add \(server.address)/ --token-file wrong")
    #expect(try peers().map { $0["tokenFile"]?.string } == [folder.path("wrong")])
    #expect(try await device.run(["sync"]).code == 4)

    let said = try await device.run(
      [], input: "peer add \(server.address) --token-file token --ca-file ca.pem")
    #expect(said.error.contains("from now on with the files that were named"), "\(said)")
    #expect(try peers().map { $0["transport"]?.string } == [server.address])
    #expect(try peers().map { $0["tokenFile"]?.string } == [folder.path("token")])
    #expect(try peers().map { $0["caFile"]?.string } == [folder.path("ca.pem")])
    try await device.succeed("sync")

    try await device.succeed(input: "transport use none")
    try await device.succeed(input: "transport use \(server.address) --token-file=token")
    #expect(try peers().map { $0["tokenFile"]?.string } == [folder.path("token")])
    try await device.succeed("sync")
  }

  @Test func `an authority comes from an option, the transport's entry or the environment`()
    async throws
  {
    let made = try await ChildProcess(
      folder: folder, executable: try BuiltProgram.tool("openssl", package: "openssl"),
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", "key.pem", "-out", "ca.pem", "-subj", "/CN=test", "-days", "30", "-addext",
        "subjectAltName=IP:127.0.0.1",
      ]
    ).run()
    #expect(made.code == 0, "\(made.error)")
    let server = ServerProcess(
      in: folder, data: "secure",
      options: ["--tls-cert", folder.path("ca.pem"), "--tls-key", folder.path("key.pem")])
    try await server.start()
    let file = try await server.signUp("ann")
    let address = server.address
    #expect(address.hasPrefix("https://"))
    let base = ["--token-file", file]
    let authority = folder.path("ca.pem")

    let refused = try await run([:], "--token-file", file, "sync", following: address)
    #expect(refused.code == 4)
    #expect(refused.error.contains("--ca-file FILE"), "\(refused.error)")
    #expect(
      try await run(
        [:], base[0], base[1], "--ca-file", "ca.pem", "sync", following: address
      ).code == 0)
    #expect(
      try await run(
        ["STRANDLINE_CA_FILE": authority], base[0], base[1], "sync", following: address
      ).code == 0)
    try folder.write(
      #"{"peers": [{"transport": "\#(address)", "tokenFile": "\#(file)", "caFile": "ca.pem"}]}"#,
      to: "phone/strandline.json")
    #expect(try await run(["STRANDLINE_CA_FILE": "/nonexistent"], "sync").code == 0)
  }

  @Test(arguments: [["list", "TodoItem"], ["save", "Tag", "name=x"], ["status"], ["peers"]])
  func `what is done on this device waits for no network`(words: [String]) async throws {
    // A port that is open and never answers.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    #expect(isListening)
    let port = UInt16(bigEndian: place.sin_port)
    let device = CommandDevice(
      "phone", in: folder, transport: "http://127.0.0.1:\(port)",
      options: ["--token-file", folder.path("wrong")])

    let outcome = try await device.run(words)

    #expect(outcome.code == 0, "\(outcome.error)")
    // Nobody has even knocked.
    _ = fcntl(listener, F_SETFL, O_NONBLOCK)
    #expect(accept(listener, nil, nil) == -1)
    #expect(errno == EAGAIN)
  }
}
