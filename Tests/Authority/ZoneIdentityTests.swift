import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ZoneIdentityTests {
  private func failure(_ body: () throws -> Void) -> TransportError? {
    do { try body() } catch { return error as? TransportError }
    return nil
  }

  @Test func `one name is one zone per account and environment`() throws {
    var desk = try Desk()

    let again = try desk.open(2)
    let other = try desk.open(2, account: "somebody else")
    let production = try desk.open(2, environment: .production, schema: [:])

    #expect(again.zone == desk.zone && !again.wasCreated)
    #expect(other.wasCreated && production.wasCreated)
    #expect(Set([desk.zone, other.zone, production.zone]).count == 3)
  }

  @Test func `C7: another account does not get the zone that a device knew`() throws {
    var desk = try Desk()

    let missing = failure { try desk.open(1, expected: desk.zone, account: "somebody else") }
    try desk.open(9, account: "somebody else")
    let replaced = failure { try desk.open(1, expected: desk.zone, account: "somebody else") }

    #expect(missing?.code == .zoneNotFound && missing?.remedy == .ask)
    #expect(replaced?.code == .zoneReplaced && replaced?.remedy == .ask)
  }

  @Test func `C7: nothing is served to an account that the zone does not belong to`() throws {
    var desk = try Desk()
    let request = FetchRequest(
      device: Desk.info(1), zone: desk.zone, proof: nil, cursor: nil, limit: 1)

    #expect(failure { _ = try desk.authority.fetch(request, account: "x") }?.code == .zoneNotFound)
  }

  @Test func `C7: a purged zone says who purged it and when, and takes nothing more`() throws {
    var desk = try Desk()
    let cursor = try desk.fetch(2).cursor
    try desk.send(1, Fact.birth("a", 10))
    try desk.purge(1)

    let errors = [
      failure { try desk.open(2, expected: desk.zone) },
      failure { try desk.fetch(2, after: cursor) },
      failure { try desk.send(2, Fact.birth("b", 10), cursor: cursor) },
      failure { try desk.receipt(2, cursor) },
    ]

    for error in errors {
      #expect(error?.code == .zonePurged && error?.remedy == .ask)
      #expect(error?.context["deviceName"] == "device 1")
      #expect(error?.context["at"] == String(desk.clock.now))
    }
    #expect(
      errors[0]?.message.contains("device 'device 1' purged it at 1970-01-01T00:16:40Z") == true)
  }

  @Test func `C7: purging twice is harmless, and a new zone under the name is another one`() throws
  {
    var desk = try Desk()
    try desk.purge(1)
    desk.clock.advance(by: 5)
    try desk.purge(2)

    let fresh = try desk.open(3)

    #expect(fresh.wasCreated && fresh.zone != desk.zone)
    #expect(failure { try desk.open(1, expected: desk.zone) }?.context["deviceName"] == "device 1")
  }

  @Test func `C8: opening tells where the device's last accepted group ended`() throws {
    var desk = try Desk()
    let page = desk.page(1, [Fact.birth("a", 10)])
    let before = try desk.open(1).lastAccepted
    try desk.send(page)

    #expect(before == nil)
    #expect(
      try desk.open(1).lastAccepted
        == AcceptedGroup(
          sequence: page.group.sequence, transactionToken: page.group.transactionToken))
    #expect(try desk.open(1, epoch: 2).lastAccepted == nil)
  }

  @Test func `C11: a server put back without a word is noticed by every kind of request`() throws {
    var desk = try Desk()
    let cursor = try desk.fetch(1).cursor
    let backup = desk.authority.storage
    let proof = try desk.send(1, Fact.birth("a", 10), cursor: cursor).acceptance?.proof
    desk.authority.storage = backup

    let requests: [() throws -> Void] = [
      { try desk.open(1, expected: desk.zone, proof: proof) },
      { try desk.fetch(1, after: cursor, proof: proof) },
      { try desk.send(1, Fact.birth("b", 10), cursor: cursor, proof: proof) },
      { try desk.receipt(1, cursor, proof: proof) },
    ]
    for request in requests {
      let error = failure(request)
      #expect(error?.code == .zoneRestored && error?.remedy == .compareAll)
    }
  }

  @Test func `C11: a server that has grown again since it was put back is noticed too`() throws {
    var desk = try Desk()
    let cursor = try desk.fetch(1).cursor
    let backup = desk.authority.storage
    let proof = try desk.send(1, Fact.birth("a", 10), cursor: cursor).acceptance?.proof
    desk.authority.storage = backup
    try desk.send(2, Fact.birth("b", 10))

    #expect(desk.stored?.head == proof?.sequence)
    #expect(failure { try desk.fetch(1, after: cursor, proof: proof) }?.code == .zoneRestored)
  }

  @Test func `C11: an announced restore makes every device compare`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    let page = try desk.fetch(1)
    try desk.receipt(1, page.cursor)

    try desk.authority.announceRestore()

    #expect(failure { try desk.fetch(1, after: page.cursor) }?.code == .zoneRestored)
    #expect(failure { try desk.fetch(1, proof: page.proof) }?.code == .zoneRestored)
    #expect(try desk.open(1, expected: desk.zone).proof.incarnation == 2)
    #expect(try desk.fetch(1).changes.count == 1)
  }

  @Test func `a proof that the zone gave stays good while numbers go on`() throws {
    var desk = try Desk()
    var proofs: [Proof] = []
    for number: Int64 in 1...5 {
      if let proof = try desk.send(1, Fact.birth("a\(number)", 10)).acceptance?.proof {
        proofs.append(proof)
      }
    }

    #expect(proofs.map(\.sequence) == [1, 2, 3, 4, 5])
    for proof in proofs { #expect(throws: Never.self) { try desk.fetch(1, proof: proof) } }
  }
}
