import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport
import Testing

@Suite struct RestoredDeviceTests {
  @Test func `a clone that publishes is noticed by the other before its next group`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    var clone = try await TestDevice("clone", 1, in: folder, expected: phone.zone)
    (clone.sequence, clone.acknowledged) = (1, 1)
    try await clone.publish("from the clone")
    phone.sequence = 2

    let found = try await code {
      _ = try await phone.transport.send(phone.page(["b"], token: 99))
    }

    #expect(found == .deviceRestored)
    #expect(try folder.segments().count == 2)
  }

  @Test func `a store put back to an earlier state does not publish again`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let backup = phone
    try await phone.publish("b")
    try await phone.publish("c")
    var restored = backup
    restored.transport = DirectoryTransport(path: folder.path)
    for (sequence, token) in [(2, 77), (3, 78), (9, 79)] as [(Int64, UInt64)] {
      restored.sequence = sequence
      let page = restored.page(["other"], token: token)

      let found = try await code { _ = try await restored.transport.send(page) }

      #expect(found == .deviceRestored, "sequence \(sequence)")
    }
    #expect(try folder.segments().count == 3)
  }

  @Test func `a restored store is told at open what the folder holds`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    var restored = phone
    try await phone.publish("b")

    let opened = try await restored.reopen(in: folder)

    #expect(
      opened.lastAccepted
        == AcceptedGroup(sequence: 2, transactionToken: phone.page([]).group.transactionToken))
  }

  @Test func `a file of one's own that is gone is noticed`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    _ = try await phone.fetch()
    let last = try #require(folder.segments().last)
    let bytes = try folder.read(last)
    try folder.remove(last)
    phone.sequence = 3
    let page = phone.page(["c"])

    let sameProcess = try await code { _ = try await phone.transport.send(page) }
    try await phone.reopen(in: folder)
    let nextProcess = try await code { _ = try await phone.transport.send(page) }
    try folder.write(bytes, to: last)
    try await phone.reopen(in: folder)
    let healed = try await code { _ = try await phone.transport.send(page) }

    #expect([sameProcess, nextProcess, healed] == [.deviceRestored, .deviceRestored, nil])
  }

  @Test func `a file that this process published and that is gone is noticed`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    try folder.remove(try #require(folder.segments().last))
    phone.sequence = 3

    let found = try await code { _ = try await phone.transport.send(phone.page(["c"])) }

    #expect(found == .deviceRestored)
    #expect(try folder.segments().count == 1)
  }

  @Test func `a damaged file that was not acknowledged is published again`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    phone.sequence = 2
    let page = phone.page(["b"])
    _ = try await phone.transport.send(page)
    let last = try #require(folder.segments().last)
    try folder.write([UInt8](repeating: 0, count: 100), to: last)

    let opened = try await phone.reopen(in: folder)
    let answer = try await phone.transport.send(page)
    var laptop = try await TestDevice("laptop", 2, in: folder)

    #expect(opened.lastAccepted?.sequence == 1)
    #expect(answer.acceptance?.sequence == 2)
    #expect(try await laptop.fetch() == ["a", "b"])
  }

  @Test func `a damaged file that was acknowledged is not passed over`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    try await phone.publish("b")
    let last = try #require(folder.segments().last)
    try folder.write([UInt8](repeating: 0, count: 100), to: last)
    try await phone.reopen(in: folder)
    phone.sequence = 3

    let found = try await code { _ = try await phone.transport.send(phone.page(["c"])) }

    #expect(found == .deviceRestored)
    #expect(try folder.segments().count == 2)
  }

  @Test func `under a new epoch the old one's files are read and both go on`() async throws {
    let folder = try TestFolder()
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    _ = try await phone.fetch()
    var renewed = try await TestDevice("phone", 1, in: folder, epoch: 2, expected: phone.zone)
    renewed.cursor = phone.cursor
    var laptop = try await TestDevice("laptop", 2, in: folder)
    _ = try await laptop.fetch()
    try await phone.publish("written after the backup")

    #expect(try await renewed.fetch() == ["a", "written after the backup"])
    try await renewed.publish("new")
    #expect(try await laptop.fetch() == ["written after the backup", "new"])
  }
}

@Suite struct BrokenChainTests {
  /// A phone whose store and folder were put back together, so that it noticed nothing.
  private func rewoundPhone(
    _ folder: TestFolder, keeping copy: TestFolder
  ) async throws -> TestDevice {
    var phone = try await TestDevice("phone", 1, in: folder)
    try await phone.publish("a")
    let backup = phone
    let files = try folder.segments()
    try await phone.publish("b")
    try folder.carryAll(to: copy)
    for file in try folder.segments() where !files.contains(file) { try folder.remove(file) }
    var restored = backup
    try await restored.reopen(in: folder)
    return restored
  }

  @Test func `another content under a known sequence is read too`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    var laptop = try await TestDevice("laptop", 2, in: copy)
    #expect(try await laptop.fetch() == ["a", "b"])
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    phone.acknowledged = 2

    try await laptop.reopen(in: folder)
    #expect(try await laptop.fetch().contains("other"))
    #expect(try await laptop.fetch() == [])
    try await phone.publish("c")
    #expect(try await laptop.fetch() == ["c"])
  }

  @Test func `a chain that jumps over the position is read whole`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    var laptop = try await TestDevice("laptop", 2, in: copy)
    _ = try await laptop.fetch()
    phone.sequence = 5
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    phone.acknowledged = 5

    try await laptop.reopen(in: folder)
    #expect(try await laptop.fetch() == ["a", "other"])
    #expect(try await laptop.fetch() == [])
    try await phone.publish("c")
    #expect(try await laptop.fetch() == ["c"])
  }

  @Test func `a chain that continues another one than was read is read whole`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    var laptop = try await TestDevice("laptop", 2, in: copy)
    _ = try await laptop.fetch()
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    phone.acknowledged = 2
    try await phone.publish("c")

    try await laptop.reopen(in: folder)
    let came = try await laptop.fetch()
    #expect(Set(came).isSuperset(of: ["other", "c"]))
    #expect(try await laptop.fetch() == [])
  }

  @Test func `what was written after a rewind is read before it passes the position`()
    async throws
  {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    var ahead = try await TestDevice("phone", 1, in: copy, expected: phone.zone)
    (ahead.sequence, ahead.acknowledged) = (2, 2)
    try await ahead.publish("lost 1")
    try await ahead.publish("lost 2")
    var laptop = try await TestDevice("laptop", 2, in: copy)
    #expect(try await laptop.fetch() == ["a", "b", "lost 1", "lost 2"])
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    phone.acknowledged = 2

    try await laptop.reopen(in: folder)
    #expect(try await laptop.fetch() == ["a", "other"])
    #expect(try await laptop.fetch() == [])
    for text in ["c", "d", "e"] {
      try await phone.publish(text)
      #expect(try await laptop.fetch().last == text)
    }
    try await phone.publish("f")
    #expect(try await laptop.fetch() == ["f"])
  }

  @Test func `a file below the position that arrives late is read`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    var laptop = try await TestDevice("laptop", 2, in: copy)
    _ = try await laptop.fetch()
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    phone.acknowledged = 2
    let late = try #require(folder.segments().last)
    try await phone.publish("c")
    let bytes = try folder.read(late)
    try folder.remove(late)

    try await laptop.reopen(in: folder)
    #expect(try await laptop.fetch() == ["a", "c"])
    #expect(try await laptop.fetch() == [])
    try folder.write(bytes, to: late)
    #expect(try await laptop.fetch().contains("other"))
    #expect(try await laptop.fetch() == [])
  }

  @Test(.timeLimit(.minutes(10)))
  func `a damaged file of another branch is named and holds nothing up`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    try folder.carryAll(to: copy)
    let file = try #require(copy.segments().first { !(try folder.segments().contains($0)) })
    try copy.write([1, 2, 3], to: file)
    var laptop = try await TestDevice("laptop", 2, in: copy)

    #expect(try await laptop.fetch() == ["a", "other"])
    #expect(laptop.waitingFor.count == 1)
    _ = try await laptop.fetch()
    #expect(laptop.waitingFor.count == 1)
  }

  @Test func `both branches of a clone's folder are read`() async throws {
    let (folder, copy) = (try TestFolder(), try TestFolder())
    var phone = try await rewoundPhone(folder, keeping: copy)
    phone.sequence = 2
    _ = try await phone.transport.send(phone.page(["other"], token: 500))
    try folder.carryAll(to: copy)
    var laptop = try await TestDevice("laptop", 2, in: copy)

    #expect(Set(try await laptop.fetch()) == ["a", "b", "other"])
    #expect(try await laptop.fetch() == [])
  }
}
