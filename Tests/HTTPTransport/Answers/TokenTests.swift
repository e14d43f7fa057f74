import Foundation
import StrandlineHTTPProtocol
import StrandlineHTTPTransport
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Access tokens: where they come from, and where they never appear.
struct TokenTests {
  static let ann = HTTPResponse.json(200, #"{"account":"ann"}"#)

  private func bearers(_ client: FakeClient) -> [String] {
    client.requests.map { request in
      request.headers.first { $0.name == "Authorization" }?.value ?? "none"
    }
  }

  @Test func `Without a token nobody is signed in, and nothing is sent`() async throws {
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, token: nil)
    #expect(try await transport.account() == .signedOut)
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.code == .notAuthorized)
    #expect(error?.remedy == .waitForAccount)
    #expect(client.requests.isEmpty)
  }

  @Test func `With a token the server tells the account`() async throws {
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client)
    #expect(try await transport.account() == .available("ann"))
    #expect(client.requests.map(\.url) == ["http://sync.example:8080/v1/account"])
    #expect(bearers(client) == ["Bearer secret"])
  }

  @Test(arguments: [#"{"account":7}"#, "{}", "[]", #"{"account":""}"#])
  func `An account that has no name is not guessed`(text: String) async throws {
    let transport = try Sample.transport(FakeClient(.json(200, text)))
    #expect(try await transport.account() == .undetermined)
  }

  @Test func `A token file counts before a token, and its line break does not`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("  from-file\r\n", to: "token")
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    _ = try await transport.account()
    #expect(bearers(client) == ["Bearer from-file"])
  }

  static let page = HTTPResponse.server(200, "application/cbor", Sample.page.encode())

  @Test func `A refused token is read again once, where its file has changed`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "token")
    let client = FakeClient(Self.page, .json(401, "{}"), Self.page)
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    _ = try await transport.fetch(Sample.fetch)
    try folder.write("new\n", to: "token")
    #expect(try await transport.fetch(Sample.fetch) == Sample.page)
    #expect(bearers(client) == ["Bearer old", "Bearer old", "Bearer new"])
    _ = try await transport.fetch(Sample.fetch)
    #expect(bearers(client).last == "Bearer new")
  }

  @Test func `A refused token that did not change is not sent again`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "token")
    let client = FakeClient(.json(401, "{}"))
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    for count in 1...3 {
      let error = await #expect(throws: TransportError.self) {
        try await transport.fetch(Sample.fetch)
      }
      #expect(error?.code == .notAuthorized)
      #expect(error?.remedy == .waitForAccount)
      #expect(client.requests.count == count)
    }
  }

  @Test(arguments: ["", "two words", nil])
  func `A refused token whose file holds none any more stays refused`(
    content: String?
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.write("old\n", to: "token")
    let client = FakeClient(Self.page, .json(401, "{}"))
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    _ = try await transport.fetch(Sample.fetch)
    if let content {
      try folder.write(content, to: "token")
    } else {
      try FileManager.default.removeItem(atPath: folder.path("token"))
    }
    let error = await #expect(throws: TransportError.self) {
      try await transport.fetch(Sample.fetch)
    }
    #expect(error?.code == .notAuthorized)
    #expect(client.requests.count == 2)
  }

  @Test func `Each question for the account reads the file, which may be another's or empty`()
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("anns\n", to: "token")
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    _ = try await transport.account()
    try folder.write("bobs\n", to: "token")
    _ = try await transport.account()
    #expect(bearers(client) == ["Bearer anns", "Bearer bobs"])
    try folder.write("\n", to: "token")
    #expect(try await transport.account() == .signedOut)
    await #expect(throws: TransportError.self) { try await transport.fetch(Sample.fetch) }
    #expect(client.requests.count == 2)
  }

  @Test func `A token that comes through a pipe is read once`() async throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, tokenFile: pipe)
    let asking = Task { try await transport.account() }
    Thread.detachNewThread {
      // Opening waits for the reader.
      guard let file = fopen(pipe, "w") else { return }
      fputs("piped\n", file)
      fclose(file)
    }
    #expect(try await asking.value == .available("ann"))
    #expect(try await transport.account() == .available("ann"))
    #expect(bearers(client) == ["Bearer piped", "Bearer piped"])
  }

  @Test(arguments: [nil, "two words", "a\nb", "ü", String(repeating: "a", count: 5000)])
  func `A file that holds no token is named`(content: String?) async throws {
    let folder = try TemporaryFolder()
    if let content { try folder.write(content, to: "token") }
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, tokenFile: folder.path("token"))
    let error = await #expect(throws: TransportError.self) { try await transport.account() }
    #expect(error?.code == .notAuthorized)
    #expect(error?.remedy == .waitForAccount)
    #expect(error?.message.contains("'\(folder.path("token"))'") == true)
    #expect(client.requests.isEmpty)
    // Once it is in order, nothing has to be started anew.
    try folder.write("good", to: "token")
    #expect(try await transport.account() == .available("ann"))
  }

  @Test(arguments: ["two words", "a\r\nX-Forged: 1", ""])
  func `A given text that is no token is not sent`(text: String) async throws {
    let client = FakeClient(Self.ann)
    let transport = try Sample.transport(client, token: Secret(text))
    let error = await #expect(throws: TransportError.self) { try await transport.account() }
    #expect(error?.code == .notAuthorized)
    #expect(client.requests.isEmpty)
  }

  @Test func `A token appears in no address, no error and no description`() async throws {
    let configuration = TransportConfiguration(
      specification: TransportSpecification("http://a"), token: Secret("hunter2"))
    var dumped = ""
    dump(configuration, to: &dumped)
    #expect(!dumped.contains("hunter2"))
    #expect(!"\(configuration)".contains("hunter2"))
    for response in [StrangerTests.html, .json(401, "{}"), .server(500)] {
      let client = FakeClient(response)
      let transport = try HTTPTransport(configuration, client: client)
      let error = await #expect(throws: TransportError.self) { try await transport.account() }
      #expect(!String(reflecting: error).contains("hunter2"))
      #expect(client.requests.allSatisfy { !$0.url.contains("hunter2") })
    }
  }
}
