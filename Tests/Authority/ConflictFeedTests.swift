import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ConflictFeedTests {
  /// A desk where record `a` of life 10 was read by both devices, and the cursor they then hold.
  private func sharedRecord() throws -> (desk: Desk, cursor: Cursor) {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1, "q": 1]))
    return (desk, try desk.fetch(2).cursor)
  }

  private func listed(_ desk: inout Desk, after cursor: Cursor) throws -> [ConflictEntry] {
    try desk.fetch(3, after: cursor).conflicts
  }

  @Test func `C3: a stored value that a send unaware of it beats is kept for everybody`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)

    try desk.send(2, Fact.edit("a", "p", 3, at: 30, of: 10), cursor: cursor)

    let conflicts = try listed(&desk, after: cursor)
    #expect(conflicts.map(\.loser.value) == [.integer(2)])
    #expect(conflicts.map(\.device) == [Desk.info(1).id])
    #expect(conflicts == (try desk.fetch(1, after: cursor).conflicts))
  }

  @Test func `C3: a sent value that loses to one it did not know is kept too`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 30, of: 10), cursor: cursor)

    try desk.send(2, Fact.edit("a", "p", 3, at: 20, of: 10), cursor: cursor)

    let conflicts = try listed(&desk, after: cursor)
    #expect(conflicts.map(\.loser.value) == [.integer(3)])
    #expect(conflicts.map(\.device) == [Desk.info(2).id])
  }

  @Test func `C3: a value that was read before it was replaced is no conflict`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)
    let read = try desk.fetch(2, after: cursor).cursor

    try desk.send(2, Fact.edit("a", "p", 3, at: 30, of: 10), cursor: read)

    #expect(try listed(&desk, after: cursor).isEmpty)
  }

  @Test func `C3: equal values and own values are no conflicts`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)

    try desk.send(2, Fact.edit("a", "p", 2, at: 30, of: 10), cursor: cursor)
    try desk.send(2, Fact.edit("a", "p", 9, at: 40, of: 10), cursor: cursor)

    #expect(try listed(&desk, after: cursor).isEmpty)
  }

  @Test func `C3: a delete that meets an edit it did not know lists the edit's value`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)

    try desk.send(2, Fact.delete("a", 10, at: 15), cursor: cursor)

    let page = try desk.fetch(3, after: cursor)
    #expect(page.conflicts.map(\.loser.value) == [.integer(2)])
    #expect(page.changes.map(\.delta.death?.life) == [Fact.stamp(10)])
  }

  @Test func `C3: an edit that meets a delete it did not know is listed`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.delete("a", 10, at: 50), cursor: cursor)

    try desk.send(2, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)

    #expect(try listed(&desk, after: cursor).map(\.loser.value) == [.integer(2)])
  }

  @Test func `C3: an edit made after a delete that a listing left out is listed`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.delete("a", 10, at: 20), cursor: cursor)
    let joined = try desk.fetch(4).cursor

    try desk.send(4, Fact.edit("a", "p", 2, at: 30, of: 10), cursor: joined)

    #expect(try listed(&desk, after: cursor).map(\.loser.value) == [.integer(2)])
  }

  @Test func `C3: of two inserts that did not know of each other the earlier one is listed`() throws
  {
    var desk = try Desk()
    let empty = try desk.fetch(3).cursor
    try desk.send(1, Fact.birth("a", 10, ["p": 1, "q": 7]), cursor: empty)

    try desk.send(2, Fact.birth("a", 20, ["p": 2, "q": 7]), cursor: empty)

    let conflicts = try listed(&desk, after: empty)
    #expect(conflicts.map(\.property) == ["p"])
    #expect(conflicts.map(\.loser.value) == [.integer(1)])
  }

  @Test func `C3: an own value that comes again after a lost reply is no conflict`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 20, of: 10), cursor: cursor)
    let read = try desk.fetch(2, after: cursor).cursor
    try desk.send(2, Fact.edit("a", "p", 3, at: 30, of: 10), cursor: read)

    // Device 1 never saw its acceptance; it sends the value again beside a new one.
    try desk.send(
      1, Fact.edit("a", "p", 2, at: 20, of: 10), Fact.edit("a", "q", 5, at: 40, of: 10),
      cursor: cursor)

    #expect(try listed(&desk, after: cursor).isEmpty)
  }

  @Test func `C3: a conflict that is listed already is not listed twice`() throws {
    var (desk, cursor) = try sharedRecord()
    try desk.send(1, Fact.edit("a", "p", 2, at: 30, of: 10), cursor: cursor)
    try desk.send(2, Fact.edit("a", "p", 3, at: 20, of: 10), cursor: cursor)
    try desk.send(2, Fact.birth("b", 50), cursor: cursor)

    try desk.send(2, Fact.edit("a", "p", 3, at: 20, of: 10), cursor: cursor)

    #expect(try listed(&desk, after: cursor).count == 1)
  }

  @Test func `C3: the loser of a parked value is listed`() throws {
    var desk = try Desk()
    let empty = try desk.fetch(3).cursor
    try desk.send(1, Fact.edit("a", "p", 1, at: 20, of: 10), cursor: empty)

    try desk.send(2, Fact.edit("a", "p", 2, at: 30, of: 10), cursor: empty)

    #expect(try listed(&desk, after: empty).map(\.loser.value) == [.integer(1)])
  }
}
