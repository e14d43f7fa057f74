import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct TokenTests {
  private func secret(_ byte: UInt8 = 7) -> TokenSecret {
    TokenSecret(random: { [UInt8](repeating: byte, count: 32) })
  }

  @Test func `a secret has a readable beginning, 256 random bits and a checksum`() throws {
    let text = secret().text

    #expect(try Regex("strand_[A-Za-z0-9_-]{43}_[0-9a-f]{8}").wholeMatch(in: text) != nil)
    #expect(secret().prefix == String(text.prefix(13)))
    #expect(secret().hash.count == 32)
    #expect(secret(8).hash != secret().hash)
  }

  @Test func `secrets of the system never repeat`() {
    #expect(Set((0..<100).map { _ in TokenSecret().text }).count == 100)
  }

  @Test func `a secret is read back`() {
    #expect(TokenSecret(secret().text) == secret())
  }

  @Test func `every single wrong character is noticed without a lookup`() {
    let text = Array(secret().text)
    for index in text.indices {
      var wrong = text
      wrong[index] = text[index] == "a" ? "b" : "a"
      #expect(TokenSecret(String(wrong)) == nil, "at \(index)")
    }
  }

  @Test(arguments: ["", "strand_", "strand_abc_00000000", "Bearer x", "strand_\u{0}"])
  func `what is no secret is none`(_ text: String) {
    #expect(TokenSecret(text) == nil)
    #expect(TokenSecret(secret().text + text) == (text.isEmpty ? secret() : nil))
  }

  @Test func `a secret does not print itself`() {
    #expect("\(secret())" == secret().prefix + "…")
  }

  @Test func `a token is judged by its hash, its time and whether it was revoked`() throws {
    var cloud = try FileCloud()
    let made = secret()
    var token = AccessToken(
      account: FileCloud.account, prefix: made.prefix, hash: made.hash, device: "phone",
      createdAt: 10, expiresAt: 100)
    try cloud.change { (storage) throws(TransportError) in token = try storage.save(token) }
    let storage = cloud.authority.storage

    #expect(token.number == 1)
    #expect(try storage.check(token: made.text, at: 99) == .usable(token))
    #expect(try storage.check(token: made.text, at: 100) == .expired(token))
    #expect(try storage.check(token: secret(9).text, at: 50) == .unknown)
    #expect(try storage.check(token: made.text + "x", at: 50) == .malformed)

    token.revokedAt = 60
    let revoked = token
    try cloud.change { (storage) throws(TransportError) in _ = try storage.save(revoked) }
    #expect(try storage.check(token: made.text, at: 50) == .revoked(revoked))
  }

  @Test func `an account that is removed takes its tokens and zones along`() throws {
    var cloud = try FileCloud()
    let made = secret()
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    try cloud.change { (storage) throws(TransportError) in
      _ = try storage.save(
        AccessToken(
          account: FileCloud.account, prefix: made.prefix, hash: made.hash, device: nil,
          createdAt: 1, expiresAt: nil))
      try storage.removeAccount(named: FileCloud.account)
    }
    let storage = cloud.authority.storage

    #expect(try storage.check(token: made.text, at: 2) == .unknown)
    #expect(try storage.zones() == [])
    #expect(try ServerCheck(storage: storage).run().faults == [])
  }
}
