import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct AccountCommandTests {
  @Test func `an account and a token are made in two commands`() async throws {
    let keeper = try Keeper()

    let added = await keeper.type("account", "add", "ann")
    let created = await keeper.type("token", "create", "ann", "--device", "phone")

    #expect(added.code == .done && added.output == [])
    #expect(created.code == .done && created.output.count == 1)
    let secret = try #require(TokenSecret(created.output[0]))
    let storage = try FileCloud.open(keeper.data)
    guard case .usable(let token) = try storage.check(token: secret.text, at: keeper.clock.now)
    else {
      Issue.record("The token does not open its account.")
      return
    }
    #expect(token.account == "ann" && token.device == "phone" && token.expiresAt == nil)
  }

  @Test func `no file holds the secret of a token`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    let secret = Data(await keeper.type("token", "create", "ann").output[0].utf8)

    for name in try keeper.folder.names(in: "data") {
      #expect(try keeper.folder.bytes("data/" + name).range(of: secret) == nil, "\(name)")
    }
  }

  @Test func `a token ends after its days, and is listed with its state`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    _ = await keeper.type("token", "create", "ann", "--expires", "2")
    _ = await keeper.type("token", "create", "ann")
    _ = await keeper.type("token", "revoke", "2")
    keeper.clock.advance(by: 2 * 24 * 3600 * 1000)

    let listed = try await keeper.type("token", "list", "--json").objects

    #expect(listed.map { $0["state"]?.string } == ["expired", "revoked"])
    #expect(listed.allSatisfy { $0["hash"] == nil })
  }

  @Test func `a token is revoked by its number, its prefix or itself`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    var secrets: [String] = []
    for _ in 0..<3 { secrets += await keeper.type("token", "create", "ann").output }

    #expect(await keeper.type("token", "revoke", "1").code == .done)
    #expect(await keeper.type("token", "revoke", String(secrets[1].prefix(13))).code == .done)
    #expect(await keeper.type("token", "revoke", secrets[2]).code == .done)
    #expect(await keeper.type("token", "revoke", "strand_").code == .failed)

    let storage = try FileCloud.open(keeper.data)
    #expect(try storage.tokens(of: nil).allSatisfy { $0.revokedAt != nil })
  }

  @Test func `an account is removed after a question that says what goes with it`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    _ = await keeper.type("token", "create", "ann")

    let refused = await keeper.type("account", "remove", "ann", answers: ["no"])
    let unasked = await keeper.type("account", "remove", "ann")
    let removed = await keeper.type("account", "remove", "ann", answers: ["y"])

    #expect(refused.code == .failed && refused.said.contains("0 records and 1 access token"))
    #expect(unasked.code == .failed && unasked.said.contains("--yes"))
    #expect(removed.code == .done)
    #expect(await keeper.type("account", "list").output == [])
  }

  @Test func `a name that is taken or not possible is refused`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")

    #expect(await keeper.type("account", "add", "ann").code == .failed)
    #expect(await keeper.type("account", "add", "").code == .usage)
    #expect(await keeper.type("account", "add", "two words").code == .usage)
  }

  @Test func `a mistyped account is named with the one that was meant`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "annabel")

    let outcome = await keeper.type("token", "create", "anabel")

    #expect(outcome.code == .failed && outcome.output == [])
    #expect(outcome.said.contains("Did you mean 'annabel'?"))
  }
}
