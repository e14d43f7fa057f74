import StrandlineAuthority
import StrandlineModels
import StrandlineServer
import StrandlineStorage
import StrandlineTestSupport
import StrandlineTransport
import Testing

@Suite struct ServerCheckTests {
  /// Each damage by SQL, and words of the fault that tells it.
  @Test(
    arguments: [
      ("UPDATE zone SET head = 1", "is after its head"),
      ("UPDATE zone SET fence = 99", "The fence of"),
      ("DELETE FROM nonce", "has no random number"),
      ("UPDATE device SET receipt = 99", "holds more than its head"),
      ("DELETE FROM zone", "of no zone"),
      ("DELETE FROM origin", "of no device"),
      ("DELETE FROM account", "of no account"),
    ])
  func `damage is found and named`(_ sql: String, _ words: String) async throws {
    let keeper = try Keeper()
    do {
      var cloud = try FileCloud(at: keeper.data)
      try cloud.send(
        1, [cloud.note("a", ["name": .text("milk")]), cloud.note("b", ["name": .null])])
      #expect(await keeper.type("check").code == .done)
      try Connection(path: cloud.authority.storage.path, readOnly: false).execute(sql)
    }

    let outcome = await keeper.type("check")

    #expect(outcome.code == .failed)
    #expect((outcome.output + outcome.notes).contains { $0.contains(words) }, "\(outcome)")
  }

  @Test func `a walk of many requests leaves nothing wrong`() throws {
    for seed: UInt64 in 1000..<1010 {
      var walk = try TwinWalk(seed: seed)
      for _ in 0..<200 { try walk.step() }
      var twin = walk.twin
      // The walk has zones of an account that nobody made.
      try twin.addAccount()
      #expect(try ServerCheck(storage: twin.file.storage).run().faults == [], "seed \(seed)")
    }
  }
}
