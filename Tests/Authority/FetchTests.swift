import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct FetchTests {
  @Test func `only facts numbered after the cursor are shown`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1, "q": 1]))
    let cursor = try desk.fetch(2).cursor
    try desk.send(1, Fact.edit("a", "q", 2, at: 20, of: 10))

    let page = try desk.fetch(2, after: cursor)

    #expect(page.changes.map(\.delta) == [Fact.edit("a", "q", 2, at: 20, of: 10)])
    #expect(page.headReached)
  }

  @Test func `C4: pages of one record each add up to the whole`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1]), Fact.birth("b", 10))
    try desk.send(2, Fact.edit("a", "q", 2, at: 20, of: 10))
    var (cursor, deltas): (Cursor?, [RecordDelta]) = (nil, [])
    var headReached = false
    while !headReached {
      let page = try desk.fetch(3, after: cursor, limit: 1)
      deltas += page.changes.map(\.delta)
      (cursor, headReached) = (page.cursor, page.headReached)
    }

    #expect(
      deltas == [
        Fact.birth("a", 10, ["p": 1]), Fact.birth("b", 10),
        Fact.edit("a", "q", 2, at: 20, of: 10),
      ])
  }

  @Test func `C4: a page split never hides a fact of a record that changed later`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1]))
    try desk.send(1, Fact.birth("b", 10))
    let first = try desk.fetch(2, limit: 1)
    try desk.send(1, Fact.edit("a", "q", 2, at: 20, of: 10))

    let rest = try desk.fetch(2, after: first.cursor)

    let seen = (first.changes + rest.changes).map(\.delta)
    #expect(seen.contains(Fact.birth("a", 10, ["p": 1])))
    #expect(seen.contains(Fact.edit("a", "q", 2, at: 20, of: 10)))
  }

  @Test func `C5: what the asker sent itself is shown like everything else`() throws {
    var desk = try Desk()
    let cursor = try desk.fetch(1).cursor
    try desk.send(2, Fact.birth("a", 10, ["p": 1]), cursor: cursor)
    try desk.send(1, Fact.edit("a", "q", 2, at: 20, of: 10), cursor: cursor)

    let page = try desk.fetch(1, after: cursor)

    #expect(page.changes.map(\.device) == [Desk.info(2).id, Desk.info(1).id])
  }

  @Test func `C5: a parked edit is numbered and shown, and again it is only one fact`() throws {
    var desk = try Desk()
    let parked = Fact.edit("a", "p", 2, at: 20, of: 10)
    try desk.send(1, parked)
    let first = try desk.fetch(2)
    try desk.send(3, Fact.birth("a", 10))

    let second = try desk.fetch(2, after: first.cursor)

    #expect(first.changes.map(\.delta) == [parked])
    #expect(second.changes.map(\.delta) == [Fact.birth("a", 10)])
  }

  @Test func `C14: without a cursor only what lives is shown`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1]), Fact.birth("b", 10))
    try desk.send(1, Fact.delete("a", 10, at: 20))

    let page = try desk.fetch(2)

    #expect(page.changes.map(\.delta) == [Fact.birth("b", 10)])
  }

  @Test func `C14: what dies while a listing goes on is shown as dead before it ends`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 10))
    let first = try desk.fetch(2, limit: 1)
    let other = try desk.fetch(1).cursor
    try desk.send(1, Fact.delete("a", 10, at: 20), cursor: other)
    try desk.receipt(1, try desk.fetch(1, after: other).cursor)

    let rest = try desk.fetch(2, after: first.cursor)

    #expect(first.changes.map(\.delta.key) == [Fact.key("a")])
    #expect(rest.headReached)
    #expect(rest.changes.map(\.delta).contains(Fact.delete("a", 10, at: 20)))
  }

  @Test func `a cursor survives its bytes and damaged bytes are refused`() throws {
    let place = ZonePlace(mark: .max - 1, incarnation: 3, sequence: 1 << 40, listingHead: 1 << 41)

    #expect(ZonePlace(place.cursor) == place)
    for count in 0..<33 {
      #expect(ZonePlace(Cursor(bytes: Array(place.cursor.bytes.prefix(count)))) == nil)
    }
    #expect(ZonePlace(Cursor(bytes: Array(repeating: 0xFF, count: 33))) == nil)
    #expect(ZonePlace(Cursor(bytes: [2] + Array(repeating: 0x80, count: 32))) == nil)
  }

  @Test func `a cursor of another zone is refused, whatever its sequences`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10))
    let cursor = try desk.fetch(1).cursor
    desk.zone = try desk.open(1, name: "other").zone
    try desk.send(1, Fact.birth("b", 10), Fact.birth("c", 10))

    for call in [
      { (desk: inout Desk) throws in _ = try desk.fetch(2, after: cursor) },
      { (desk: inout Desk) throws in _ = try desk.receipt(2, cursor) },
    ] {
      let error = #expect(throws: TransportError.self) { try call(&desk) }
      #expect(error?.code == .damaged && error?.remedy == .compareAll)
    }
  }

  @Test func `random bytes as a cursor are an error and never more`() throws {
    var desk = try Desk()
    var random = SeededGenerator(seed: 3)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...30, using: &random)
      var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if !bytes.isEmpty { bytes[0] = 1 }
      #expect(throws: TransportError.self) {
        try desk.fetch(2, after: Cursor(bytes: bytes))
      }
    }
  }
}
