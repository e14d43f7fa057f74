import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct ResendTests {
  @Test func `a group sent again after a lost answer is one segment`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    phone.sequence = 1
    let page = phone.page(["a"])

    let first = try await phone.transport.send(page)
    let again = try await phone.transport.send(page)

    #expect(first == again)
    #expect(try folder.segments().count == 1)
  }

  @Test func `a group sent again by the next process is one segment`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    phone.sequence = 1
    _ = try await phone.transport.send(phone.page(["a"]))

    let opened = try await phone.reopen(in: folder)
    let answer = try await phone.transport.send(phone.page(["a"]))

    #expect(opened.lastAccepted?.sequence == 1)
    #expect(opened.lastAccepted?.transactionToken == phone.page([]).group.transactionToken)
    #expect(answer.acceptance?.sequence == 1)
    #expect(try folder.segments().count == 1)
  }

  @Test func `a last page sent alone after a lost answer is recognised`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    phone.sequence = 2
    var first = phone.page(["a", "b"])
    var second = first
    (first.isLast, first.deltas) = (false, [first.deltas[0]])
    (second.page, second.deltas) = (1, [second.deltas[1]])
    _ = try await phone.transport.send(first)
    let answer = try await phone.transport.send(second)

    #expect(try await phone.transport.send(second) == answer)
  }

  @Test func `a greater group after a lost answer continues the chain`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    var laptop = try await TestDevice("laptop", 2, in: folder)
    phone.sequence = 1
    _ = try await phone.transport.send(phone.page(["a"]))
    _ = try await laptop.fetch()
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["a", "b"]))
    var tablet = try await TestDevice("tablet", 3, in: folder)

    #expect(try await laptop.fetch() == ["a", "b"])
    #expect(try await tablet.fetch() == ["a", "a", "b"])
    #expect(try folder.segments().count == 2)
  }

  @Test(arguments: WriteStep.allCases)
  func `a failure at any step shows all of the group or nothing`(step: WriteStep) async throws {
    let folder = try TestFolder()
    let failure = TransportError(.quota, "", remedy: .retry(afterMilliseconds: nil))
    let broken = try await TestDevice("phone", 1, in: folder)
    var phone = try await TestDevice(
      "phone", 1, in: folder, expected: broken.zone,
      observe: { reached, path throws(TransportError) in
        if reached == step, path.hasSuffix(".seg") { throw failure }
      })
    var laptop = try await TestDevice("laptop", 2, in: folder)
    phone.sequence = 1
    let page = phone.page(["a"])

    let found = try await code { _ = try await phone.transport.send(page) }
    let seen = try await laptop.fetch()
    try await phone.reopen(in: folder)
    let answer = try await phone.transport.send(page)

    #expect(found == .quota)
    #expect(seen == (step == .renamed ? ["a"] : []))
    #expect(answer.acceptance?.sequence == 1)
    #expect(try await laptop.fetch() == (step == .renamed ? [] : ["a"]))
    #expect(try folder.segments().count == 1)
    #expect(try folder.files().filter { $0.hasSuffix(".tmp") } == [])
  }

  @Test func `a file has its name only when it is whole`() async throws {
    let folder = try TestFolder()
    let phoneInfo = DeviceID(device: 1, epoch: 1)
    var phone = try await TestDevice(
      "phone", 1, in: folder,
      observe: { step, _ throws(TransportError) in
        guard step == .written || step == .synced else { return }
        let visible = (try? folder.segments()) ?? ["unreadable"]
        #expect(visible == [])
      })

    try await phone.publish("a")

    #expect(try folder.segments().allSatisfy { $0.contains("/w/\(phoneInfo)/") })
    #expect(try folder.segments().count == 1)
  }

  @Test func `leftovers are removed by their own device only`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let place = try #require(folder.segments().first).split(separator: "/").dropLast()
      .joined(separator: "/")
    let (mine, other) = (
      "\(place)/.\(phone.info.id).1f.tmp", "\(place)/.\(DeviceID(device: 9, epoch: 9)).1f.tmp"
    )
    try folder.write([1], to: mine)
    try folder.write([1], to: other)

    try await phone.reopen(in: folder)

    #expect(try folder.files().filter { $0.hasSuffix(".tmp") } == [other])
  }
}
