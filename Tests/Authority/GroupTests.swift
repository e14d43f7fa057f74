import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct GroupTests {
  /// The pages of one group, one record each.
  private func pages(_ desk: inout Desk, _ deltas: [RecordDelta]) -> [SendPage] {
    let whole = desk.page(1, deltas)
    return deltas.enumerated().map { number, delta in
      var page = whole
      page.page = number
      page.isLast = number == deltas.count - 1
      page.deltas = [delta]
      return page
    }
  }

  private func refusedCode(_ body: () throws -> Void) -> TransportError.Code? {
    do { try body() } catch { return (error as? TransportError)?.code }
    return nil
  }

  @Test func `C4: nobody sees a group before its last page, and then all of it`() throws {
    var desk = try Desk()
    let pages = pages(&desk, [Fact.birth("a", 10), Fact.birth("b", 10)])

    let first = try desk.send(pages[0])
    let between = try desk.fetch(2)
    let last = try desk.send(pages[1])
    let after = try desk.fetch(2)

    #expect(first.acceptance == nil && between.changes.isEmpty)
    #expect(last.acceptance?.position == 2)
    #expect(after.changes.map(\.delta.key.id) == [RecordID(text: "a"), RecordID(text: "b")])
  }

  @Test func `C4: a new token drops a group that did not end`() throws {
    var desk = try Desk()
    let dropped = pages(&desk, [Fact.birth("a", 10), Fact.birth("b", 10)])
    try desk.send(dropped[0])
    try desk.send(1, Fact.birth("c", 10))

    #expect(refusedCode { try desk.send(dropped[1]) } == .invalidRequest)
    #expect(try desk.fetch(2).changes.map(\.delta.key.id) == [RecordID(text: "c")])
  }

  @Test func `C4: a group whose count is wrong is refused whole`() throws {
    var desk = try Desk()
    var page = desk.page(1, [Fact.birth("a", 10)])
    page.group.recordCount = 2

    #expect(refusedCode { try desk.send(page) } == .invalidRequest)
    #expect(try desk.fetch(2).changes.isEmpty)
  }

  @Test func `C4: a page that is missing in the middle is noticed`() throws {
    var desk = try Desk()
    let pages = pages(&desk, ["a", "b", "c"].map { Fact.birth($0, 10) })
    try desk.send(pages[0])

    #expect(refusedCode { try desk.send(pages[2]) } == .invalidRequest)
    #expect(try desk.fetch(2).changes.isEmpty)
  }

  @Test func `a page may come twice`() throws {
    var desk = try Desk()
    let pages = pages(&desk, [Fact.birth("a", 10), Fact.birth("b", 10)])
    for page in [pages[0], pages[0]] { try desk.send(page) }

    let answer = try desk.send(pages[1])

    #expect(answer.acceptance?.position == 2)
  }

  @Test func `a group that was accepted is accepted again and numbers nothing`() throws {
    var desk = try Desk()
    let pages = pages(&desk, [Fact.birth("a", 10), Fact.birth("b", 10)])
    try desk.send(pages[0])
    let first = try desk.send(pages[1])
    try desk.send(2, Fact.birth("c", 10))

    let lastAgain = try desk.send(pages[1])
    for page in pages { try desk.send(page) }

    #expect(lastAgain.acceptance?.sequence == first.acceptance?.sequence)
    #expect(lastAgain.acceptance?.position == first.acceptance?.position)
    #expect(lastAgain.acceptance?.proof.sequence == 3)
    #expect(desk.stored?.head == 3)
  }

  @Test func `facts that are known get no numbers, whatever group they come in`() throws {
    var desk = try Desk()
    try desk.send(1, Fact.birth("a", 10, ["p": 1]))

    let answer = try desk.send(2, Fact.birth("a", 10, ["p": 1]))

    #expect(answer.acceptance?.position == 1)
    #expect(desk.stored?.head == 1)
  }

  @Test func `a group without records is accepted`() throws {
    var desk = try Desk()

    let answer = try desk.send(desk.page(1, []))

    #expect(answer.acceptance?.sequence == 1)
  }

  @Test func `C17: a refused record leaves the whole group unmerged, the rest can be sent again`()
    throws
  {
    var limits = AuthorityLimits()
    limits.transport.recordBytes = 100
    var desk = try Desk(limits: limits)
    let large = RecordDelta(
      key: Fact.key("large"),
      versions: [
        "p": Version(
          life: Fact.stamp(10), stamp: Fact.stamp(10),
          value: .text(String(repeating: "x", count: 200)))
      ])

    let refused = try desk.send(1, Fact.birth("a", 10), large)
    let headAfterRefusal = desk.stored?.head
    let rest = try desk.send(1, Fact.birth("a", 10))

    #expect(refused.acceptance == nil)
    #expect(refused.refused.map(\.code) == ["tooLarge"])
    #expect(refused.refused.first?.message.hasPrefix("Could not take record large of Note") == true)
    #expect(headAfterRefusal == 0)
    #expect(rest.acceptance?.position == 1)
  }

  @Test func `C17: refusals of all pages are named with the last one`() throws {
    var desk = try Desk()
    let bad = ["a", "b"].map { Fact.edit($0, "p", 1, at: 0, of: 10) }
    let pages = pages(&desk, [bad[0], Fact.birth("c", 10), bad[1]])

    let answers = try pages.map { try desk.send($0) }

    #expect(answers.map(\.refused.count) == [1, 0, 2])
    #expect(try desk.send(pages[2]) == answers[2])
    #expect(desk.stored?.head == 0)
  }

  @Test func `a page of too many records is to be split`() throws {
    var limits = AuthorityLimits()
    limits.transport.pageRecords = 1
    var desk = try Desk(limits: limits)

    #expect(
      refusedCode { try desk.send(1, Fact.birth("a", 10), Fact.birth("b", 10)) } == .tooLarge)
  }

  @Test func `a device that has more to upload is named until it ends`() throws {
    var desk = try Desk()
    var page = desk.page(1, [Fact.birth("a", 10)])
    page.group.isPartOfUpload = true
    try desk.send(page)
    let during = try desk.fetch(2)
    try desk.send(1, Fact.birth("b", 10))

    #expect(during.uploading == ["device 1"])
    #expect(try desk.fetch(2).uploading.isEmpty)
  }

  @Test func `C4: an upload whose device is silent is not waited for, and is told of`() throws {
    var limits = AuthorityLimits()
    limits.silenceMilliseconds = 1000
    var desk = try Desk(limits: limits)
    var page = desk.page(1, [Fact.birth("a", 10)])
    page.group.isPartOfUpload = true
    try desk.send(page)
    #expect(try desk.fetch(2).notices.isEmpty)
    desk.clock.advance(by: 2000)

    let later = try desk.fetch(2)

    #expect(later.uploading.isEmpty)
    #expect(
      later.notices == [
        "device 1 stopped in the middle of a long upload; its records may not fit together until "
          + "it goes on."
      ])
  }
}
