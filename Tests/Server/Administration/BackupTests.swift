import Foundation
import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct BackupTests {
  private func code(_ body: () throws(TransportError) -> Void) -> TransportError.Code? {
    do throws(TransportError) { try body() } catch { return error.code }
    return nil
  }

  @Test func `a backup is whole, replaces nothing and is made beside the running server`()
    async throws
  {
    let keeper = try Keeper()
    var cloud = try FileCloud(at: keeper.data)
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    let file = keeper.folder.path("backup.sqlite")
    let lock = try FolderLock.takeServer(of: keeper.data)

    let made = await keeper.type("backup", file)
    let again = await keeper.type("backup", file)

    #expect(made.code == .done, "\(made.said)")
    #expect(again.code == .failed && again.said.contains("something is there"))
    #expect(try Connection(path: file, readOnly: true).integer("SELECT count(*) FROM feed") == 1)
    // Neither a log nor a part of a copy is left.
    #expect(try keeper.folder.names(in: "").filter { $0.hasPrefix("backup") } == ["backup.sqlite"])
    withExtendedLifetime(lock) {}
  }

  @Test func `a backup that cannot be written leaves nothing and holds no fence back`() async throws
  {
    let keeper = try Keeper()
    let cloud = try FileCloud(at: keeper.data)

    let outcome = await keeper.type("backup", keeper.folder.path("missing/backup.sqlite"))

    #expect(outcome.code == .failed)
    #expect(try cloud.authority.storage.zone(cloud.zone)?.fenceBound == nil)
  }

  @Test func `fences come as far as the newest backup holds`() async throws {
    let keeper = try Keeper()
    var cloud = try FileCloud(at: keeper.data)
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    _ = await keeper.type("backup", keeper.folder.path("1.sqlite"))
    try cloud.send(1, [cloud.note("b", ["name": .text("bread")])])
    let page = try cloud.fetch(2)
    try cloud.receipt(2, page.cursor)

    #expect(try cloud.authority.storage.zone(cloud.zone)?.fence == 1)
    _ = await keeper.type("backup", keeper.folder.path("2.sqlite"))
    try cloud.receipt(2, page.cursor)
    #expect(try cloud.authority.storage.zone(cloud.zone)?.fence == 2)
  }

  @Test func `a restored server asks devices to compare everything`() async throws {
    let keeper = try Keeper()
    var cloud = try FileCloud(at: keeper.data)
    try cloud.send(1, [cloud.note("a", ["name": .text("milk")])])
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)
    try cloud.send(1, [cloud.note("b", ["name": .text("bread")])])
    let page = try cloud.fetch(2)
    // Every handle on the old file is closed first.
    let zone = cloud.zone
    cloud.authority.storage = try FileCloud.open(keeper.folder.path("other"))

    let outcome = await keeper.type("restore", file, "--yes")

    #expect(outcome.code == .done, "\(outcome.said)")
    #expect(outcome.said.contains("incarnation 2") && outcome.said.contains("replaced-"))
    try cloud.reopen()
    #expect(try cloud.authority.storage.identity().incarnation == 2)
    #expect(try cloud.authority.storage.recordCount(in: zone) == 1)
    #expect(
      code { () throws(TransportError) in try cloud.fetch(2, after: page.cursor) } == .zoneRestored)
    #expect(
      code { () throws(TransportError) in try cloud.fetch(2, proof: page.proof) } == .zoneRestored)
    #expect(try ServerCheck(storage: cloud.authority.storage).run().faults == [])
  }

  @Test func `one backup that is put back twice begins two incarnations`() async throws {
    let keeper = try Keeper()
    let zone = try FileCloud(at: keeper.data).zone
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)

    _ = await keeper.type("restore", file, "--yes")
    _ = await keeper.type("restore", file, "--yes")

    let storage = try FileCloud.open(keeper.data)
    #expect(try storage.identity().incarnation == 3)
    #expect(try storage.zone(zone)?.incarnation == 3)
  }

  @Test func `the replaced data is kept whole`() async throws {
    let keeper = try Keeper()
    let zone = try FileCloud(at: keeper.data).zone
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)
    do {
      let cloud = try FileCloud.open(keeper.data)
      try cloud.begin(.durable)
      try cloud.add(Account(name: "later", createdAt: 1))
      try cloud.commit()
    }

    _ = await keeper.type("restore", file, "--yes")

    let kept = try #require(
      try keeper.folder.names(in: "data").first { $0.hasPrefix("replaced-") })
    let storage = try FileCloud.open(keeper.data + "/" + kept)
    #expect(try storage.accounts().map(\.name) == ["ann", "later"])
    #expect(try storage.zone(zone)?.incarnation == 1)
  }

  @Test func `a token that was revoked since the backup stays revoked`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    let secret = await keeper.type("token", "create", "ann").output[0]
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)
    _ = await keeper.type("token", "revoke", "1")

    let outcome = await keeper.type("restore", file, "--yes")

    #expect(outcome.said.contains("stay revoked"))
    let check = try FileCloud.open(keeper.data).check(token: secret, at: keeper.clock.now)
    guard case .revoked = check else {
      Issue.record("The token is \(check).")
      return
    }
  }

  @Test func `a restore is refused while a server runs, and for what is no backup`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)
    try keeper.folder.write(String(repeating: "no backup ", count: 200), to: "wrong.sqlite")
    do {
      let lock = try FolderLock.takeServer(of: keeper.data)
      let outcome = await keeper.type("restore", file, "--yes")
      #expect(outcome.code == .data && outcome.said.contains("process \(getpid())"))
      withExtendedLifetime(lock) {}
    }

    #expect(
      await keeper.type("restore", keeper.folder.path("wrong.sqlite"), "--yes").code == .failed)
    #expect(
      await keeper.type("restore", keeper.folder.path("none.sqlite"), "--yes").code == .failed)
    #expect(try FileCloud.open(keeper.data).identity().incarnation == 1)
    #expect(
      try keeper.folder.names(in: "data").allSatisfy {
        !$0.hasPrefix("restoring-") && !$0.hasPrefix("replaced-")
      })
  }

  @Test func `a folder without data can be restored into`() async throws {
    let keeper = try Keeper()
    _ = await keeper.type("account", "add", "ann")
    let file = keeper.folder.path("backup.sqlite")
    _ = await keeper.type("backup", file)
    let elsewhere = keeper.folder.path("elsewhere")

    let outcome = await keeper.type("restore", file, "--yes", "--data", elsewhere)

    #expect(outcome.code == .done && !outcome.said.contains("replaced"))
    #expect(try FileCloud.open(elsewhere).accounts().map(\.name) == ["ann"])
  }

  @Test func `two servers on one folder are refused`() throws {
    let keeper = try Keeper()
    try FolderLock.makeFolder(keeper.data)
    let first = try FolderLock.takeServer(of: keeper.data)

    #expect(throws: CommandFailure.self) { try FolderLock.takeServer(of: keeper.data) }
    #expect(FolderLock.server(of: keeper.data) == "process \(getpid())")
    withExtendedLifetime(first) {}
  }
}
