import Foundation
import StrandlineHTTPProtocol
import StrandlineServer
import StrandlineTestSupport
import Testing

@Suite(.serialized) struct EncryptionTests {
  /// Makes a certificate that vouches for itself.
  private func makeIdentity(in folder: TemporaryFolder) async throws -> TLSIdentity {
    let outcome = try await ChildProcess(
      folder: folder, executable: "/usr/bin/openssl",
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
      ]
    ).run()
    #expect(outcome.code == 0, "\(outcome.error)")
    return try TLSIdentity(
      certificateFile: folder.path("cert.pem"), keyFile: folder.path("key.pem"))
  }

  private func curl(
    _ folder: TemporaryFolder, _ port: UInt16, _ options: String...
  ) async throws -> Outcome {
    try await ChildProcess(
      folder: folder, executable: "/usr/bin/curl",
      arguments: ["-sS", "--max-time", "60", "--cacert", "cert.pem"] + options
        + ["https://localhost:\(port)/v1/health"]
    ).run()
  }

  @Test func `a client that knows the certificate is answered, in new versions of TLS alone`()
    async throws
  {
    let folder = try TemporaryFolder()
    let identity = try await makeIdentity(in: folder)
    let live = try await LiveDesk.start { $0.front.identity = identity }

    #expect(live.running.front.url.hasPrefix("https://"))
    #expect(try await curl(folder, live.port, "--tlsv1.3").output.contains("ok"))
    #expect(try await curl(folder, live.port, "--tls-max", "1.2").output.contains("ok"))
    #expect(try await curl(folder, live.port, "--tls-max", "1.1", "--tlsv1.0").code != 0)
    try await live.stop()
  }

  @Test func `a handshake that is begun and not ended is cut off`() async throws {
    let folder = try TemporaryFolder()
    let identity = try await makeIdentity(in: folder)
    let live = try await LiveDesk.start {
      $0.front.identity = identity
      $0.front.timing.head = 300
    }
    let socket = try await live.connect()
    try await socket.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])

    #expect(try await socket.receive() == nil)
    try await live.stop()
  }

  @Test func `without encryption nothing is answered`() async throws {
    let folder = try TemporaryFolder()
    let identity = try await makeIdentity(in: folder)
    let live = try await LiveDesk.start { $0.front.identity = identity }

    let text = try await live.answer(to: LiveDesk.head(.health))

    #expect(!text.contains("HTTP/1.1 200"))
    try await live.stop()
  }

  @Test func `a certificate without its key is said in a sentence`() async throws {
    let folder = try TemporaryFolder()
    _ = try await makeIdentity(in: folder)
    let wrong = try TLSIdentity(
      certificateFile: folder.path("cert.pem"), keyFile: folder.path("cert.pem"))

    await #expect(throws: ServeError.self) {
      try await LiveDesk.start { $0.front.identity = wrong }
    }
    #expect(throws: ServeError.self) {
      try TLSIdentity(certificateFile: folder.path("none"), keyFile: folder.path("key.pem"))
    }
  }
}
