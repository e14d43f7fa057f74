import StrandlineHTTPTransport
import StrandlineModels
import StrandlineTestSupport
import StrandlineTransport
import Testing

/// Servers that prove who they are, and others.
struct CertificateTests {
  let folder: TemporaryFolder
  let maker: CertificateMaker

  init() throws {
    folder = try TemporaryFolder()
    maker = CertificateMaker(folder: folder)
    // `openssl s_server -HTTP` answers with a file that holds the whole answer.
    let body = #"{"account":"ann"}"#
    try folder.write(
      "HTTP/1.1 200 OK\r\nStrandline-Server: 5eed\r\nContent-Type: application/json\r\n"
        + "Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", to: "v1/account"
    )
  }

  private func transport(
    _ port: Int, trusting file: String?, host: String = "127.0.0.1"
  ) throws -> HTTPTransport {
    try HTTPTransport(
      TransportConfiguration(
        specification: TransportSpecification("https://\(host):\(port)"), token: Secret("secret"),
        authorityFile: file),
      client: CurlClient(
        options: CurlClientOptions(authorityFile: file, proxy: .none)))
  }

  private func refusal(_ transport: HTTPTransport) async throws -> TransportError {
    let error = await #expect(throws: TransportError.self) { try await transport.account() }
    return try #require(error)
  }

  @Test func `A certificate of one's own is trusted through its file, and not without it`()
    async throws
  {
    try await maker.make("server", for: "IP:127.0.0.1,DNS:localhost")
    let (process, port) = try await maker.serve("server")
    defer { process.kill() }
    let trusted = try transport(port, trusting: folder.path("server.pem"))
    #expect(try await trusted.account() == .available("ann"))
    let error = try await refusal(transport(port, trusting: nil))
    #expect(error.code == .unreachable)
    #expect(error.remedy == .retry(afterMilliseconds: nil))
    #expect(
      error.message == "Could not ask whose account it is, nobody whom this device trusts has "
        + "signed the certificate of 127.0.0.1:\(port).")
    #expect(error.advice.contains("--ca-file FILE"))
  }

  @Test func `Only the named authority is trusted`() async throws {
    try await maker.make("server", for: "IP:127.0.0.1")
    try await maker.make("other", for: "IP:127.0.0.1")
    let (process, port) = try await maker.serve("server")
    defer { process.kill() }
    let error = try await refusal(transport(port, trusting: folder.path("other.pem")))
    #expect(error.message.contains("nobody whom this device trusts"))
  }

  @Test func `A certificate for another name is refused`() async throws {
    try await maker.make("server", for: "DNS:elsewhere.example")
    let (process, port) = try await maker.serve("server")
    defer { process.kill() }
    let error = try await refusal(transport(port, trusting: folder.path("server.pem")))
    #expect(error.code == .unreachable)
    #expect(
      error.message == "Could not ask whose account it is, the certificate that "
        + "127.0.0.1:\(port) showed is for another name.")
  }

  @Test func `A certificate that has expired is refused`() async throws {
    try await maker.make("server", for: "IP:127.0.0.1", isExpired: true)
    let (process, port) = try await maker.serve("server")
    defer { process.kill() }
    let error = try await refusal(transport(port, trusting: folder.path("server.pem")))
    #expect(
      error.message
        == "Could not ask whose account it is, the certificate of 127.0.0.1:\(port) has expired.")
  }

  @Test(arguments: [nil, "no certificate\n"])
  func `An authority file that cannot be used is named`(content: String?) async throws {
    try await maker.make("server", for: "IP:127.0.0.1")
    let (process, port) = try await maker.serve("server")
    defer { process.kill() }
    if let content { try folder.write(content, to: "ca.pem") }
    let error = try await refusal(transport(port, trusting: folder.path("ca.pem")))
    #expect(error.code == .unreachable)
    #expect(error.message.contains("the certificate authorities in '\(folder.path("ca.pem"))'"))
  }

  @Test func `A server without TLS is no secure server`() async throws {
    let server = try ScriptedServer(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _, _ in }
    let error = try await refusal(transport(server.port, trusting: nil))
    #expect(error.code == .unreachable)
    #expect(
      error.message == "Could not ask whose account it is, no secure connection to "
        + "127.0.0.1:\(server.port) could be made.")
    #expect(error.advice.contains("https"))
  }
}
