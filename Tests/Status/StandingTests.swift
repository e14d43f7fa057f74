import StrandlineModels
import StrandlineStatus
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// Where a store stands, told from nothing but its tables.
@Suite struct StandingTests {
  @Test func `without a peer sync is off`() async throws {
    let fixture = try await StatusFixture(hasPeer: false)

    let status = try await fixture.status()

    #expect(status.standing == .off)
    #expect(status.peer == "none")
  }

  @Test func `a peer whose sync is switched off is off, whatever else is known`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { $0.isBlocked = true }
    try await fixture.want(false)

    #expect(try await fixture.status().standing == .off)
  }

  @Test func `before anything was seen to succeed it is setting up`() async throws {
    let fixture = try await StatusFixture()

    #expect(try await fixture.status().standing == .settingUp)
  }

  @Test func `caught up tells the moment`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 2000
      peer.caughtUp = 1000
    }

    let status = try await fixture.status()

    #expect(status.standing == .caughtUp)
    #expect(status.asOf == 1000)
    #expect(status.lastSuccessfulActivity == 2000)
  }

  @Test func `a save makes a store that was caught up work, with the change counted`()
    async throws
  {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.caughtUp = 1000
    }
    try await fixture.store.write { transaction in
      try transaction.insert("TodoItem", values: [:])
      try transaction.insert("Tag", values: [:])
      try transaction.insert("Tag", values: [:])
    }

    let status = try await fixture.status()

    #expect(status.standing == .working)
    #expect(status.pendingByEntity == ["TodoItem": 1, "Tag": 2])
    #expect(status.pending == 3)
    #expect(status.oldestPending == 5000)
  }

  @Test func `what plain SQL wrote counts as pending before anybody sealed it`() async throws {
    let fixture = try await StatusFixture()
    let connection = try Connection(path: fixture.store.path, readOnly: false)
    try connection.run("INSERT INTO Tag(name) VALUES ('by hand')")

    #expect(try await fixture.status().pendingByEntity == ["Tag": 1])
  }

  @Test func `what came from the peer itself is not pending for it`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.store.importChanges(from: fixture.peer) { transaction in
      try transaction.apply(
        RecordDelta(
          key: RecordKey(entity: "Tag", id: RecordID(text: "t")), birth: Stamp(milliseconds: 1)))
    }

    #expect(try await fixture.status().pending == 0)
  }

  @Test func `an acknowledgement leaves what came after it pending`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    try await fixture.change { $0.acknowledged = 1 }
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }

    #expect(try await fixture.status().pending == 1)
  }

  @Test func `a catch-up under way is working, though nothing is pending`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.caughtUp = 1000
      peer.isCatchingUp = true
    }

    let status = try await fixture.status()

    #expect(status.standing == .working)
    #expect(Wording().standing(status) { "\($0)" }.hasPrefix("Catching up"))
  }

  @Test func `waiting tells until when and why`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.waitingUntil = 9000
      peer.reasonCode = "unreachable"
      peer.reason = "Could not reach it."
      peer.cure = "It is tried again."
    }

    let status = try await fixture.status()

    #expect(status.standing == .waiting)
    #expect(status.until == 9000)
    #expect(status.reasonCode == "unreachable")
    #expect(Wording().standing(status) { "\($0)" } == "Waiting until 9000: Could not reach it.")
  }

  @Test func `blocked tells the reason and the cure`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.caughtUp = 1000
      peer.isBlocked = true
      peer.reason = "Could not sync, nobody is signed in."
      peer.cure = "Sign in."
    }

    let status = try await fixture.status()

    #expect(status.standing == .blocked)
    #expect(status.reason == "Could not sync, nobody is signed in.")
    #expect(status.cure == "Sign in.")
    #expect(!status.isActive)
  }

  @Test func `a second opening of the file tells the same`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.store.write { try $0.insert("Tag", values: [:]) }
    try await fixture.change { peer in
      peer.waitingUntil = 9000
      peer.reason = "Could not reach it."
    }

    let other = try await Store.open(
      .file(fixture.store.path), schema: fixture.store.schema,
      options: StoreOptions(isReadOnly: true))

    #expect(try await other.status(deviceName: "a") == [fixture.status()])
  }

  @Test func `an orphan is counted until its record arrives`() async throws {
    let fixture = try await StatusFixture()
    let list = RecordID(text: "list")
    let item = RecordKey(entity: "TodoItem", id: RecordID(text: "item"))
    let life = Stamp(milliseconds: 1)
    try await fixture.store.importChanges(from: fixture.peer) { transaction in
      try transaction.apply(
        RecordDelta(
          key: item, birth: life,
          versions: ["list": Version(life: life, stamp: life, value: list.value)]))
    }
    #expect(try await fixture.status().orphans == 1)

    try await fixture.store.importChanges(from: fixture.peer) { transaction in
      try transaction.apply(
        RecordDelta(key: RecordKey(entity: "TodoList", id: list), birth: life))
    }

    #expect(try await fixture.status().orphans == 0)
  }

  @Test func `what the zone lacks makes a store work that was caught up, and is the reason`()
    async throws
  {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.caughtUp = 1000
      peer.waits = ["Waiting for 1 file of phone (change 3).", "Waiting for 1 file of tablet."]
    }

    let status = try await fixture.status()

    #expect(status.standing == .working)
    #expect(
      status.reason
        == "Waiting for 1 file of phone (change 3). Waiting for 1 file of tablet.")
    #expect(status.json["waitingFor"]?.elements?.count == 2)
  }

  @Test func `a notice holds nothing back and is told`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.caughtUp = 1000
      peer.notices = ["3 copies that a sync tool made are ignored."]
    }

    let status = try await fixture.status()

    #expect(status.standing == .caughtUp)
    #expect(status.notices == ["3 copies that a sync tool made are ignored."])
    #expect(
      status.json["notices"]?.elements == [.string("3 copies that a sync tool made are ignored.")])
  }

  @Test func `what a transport cannot do holds back more than what it lacks`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.waits = ["Waiting for 1 file of phone."]
      peer.isBlocked = true
      peer.reason = "Could not read the folder."
    }

    let status = try await fixture.status()

    #expect(status.standing == .blocked)
    #expect(status.reason == "Could not read the folder.")
    #expect(status.waitingFor == ["Waiting for 1 file of phone."])
  }

  @Test func `each peer has a status of its own`() async throws {
    let fixture = try await StatusFixture()
    try await fixture.change { peer in
      peer.lastSuccess = 1000
      peer.isBlocked = true
      peer.reason = "Could not sync, nobody is signed in."
    }
    try await fixture.store.administer { transaction in
      var other = try transaction.followPeer(
        specification: "directory:/mnt", zoneName: "default", environment: "development",
        isPublished: true)
      other.lastSuccess = 2000
      other.caughtUp = 2000
      try transaction.update(other)
    }

    let all = try await fixture.store.status(deviceName: "a")

    #expect(all.map(\.peer) == ["memory", "directory:/mnt"])
    #expect(all.map(\.standing) == [.blocked, .caughtUp])
    #expect(all.map(\.reason) == ["Could not sync, nobody is signed in.", nil])
    #expect(all.map(\.isPublished) == [false, true])
    #expect(
      Wording().standing(all[1], time: { "\($0)" })
        == "Caught up as of 2000: everything of this device was in the folder, and everything that "
        + "was there is here.")
  }
}
