import StrandlineSettings
import Testing

/// The sentences about the consequences of the switch, in full.
struct SwitchWordingTests {
  private func consequences(_ change: SwitchChange) -> SwitchConsequences {
    var found = SwitchConsequences(change)
    (found.records, found.unsent, found.conflicts, found.heldDeletes) = (3, 1, 2, 1)
    found.zones = [
      .init(
        peer: "https://example.com", hasCopy: true,
        devices: [.init(name: "laptop", lastHeard: 10), .init(name: "phone", lastHeard: 20)]),
      .init(peer: "directory:/share", hasCopy: true, isFolder: true),
    ]
    return found
  }

  @Test func `switching off and keeping the copy`() {
    #expect(
      consequences(.off).sentences { "\($0) s ago" } == [
        "Changes are no longer sent or received. Nothing is deleted on this device: 3 records "
          + "stay here.",
        "1 record has changes that are only on this device; they wait until sync is switched on "
          + "again.",
        "1 delete from elsewhere still waits for your word.",
        "2 values that lost to others stay in the list of conflicts.",
        "The cloud copy in 'https://example.com' and 'directory:/share' stays as it is.",
        "While sync is off, backup programs that honour it leave this store's files out; older "
          + "backups are not changed.",
      ])
  }

  @Test func `switching off and purging the copy`() {
    #expect(
      consequences(.offWithPurge).sentences { "\($0) s ago" }.dropFirst(4) == [
        "Everything in 'https://example.com' is removed; that cannot be undone.",
        "Backups of the server are not reached.",
        "Other devices keep their records, and one that still syncs may upload them again: laptop "
          + "(last heard from 10 s ago) and phone (last heard from 20 s ago).",
        "Everything in 'directory:/share' is removed; that cannot be undone.",
        "Versions and backups that something keeps of the folder are not reached.",
        "No other device was heard of there; one that still syncs keeps its records and may "
          + "upload them again.",
        "While sync is off, backup programs that honour it leave this store's files out; older "
          + "backups are not changed.",
      ])
  }

  @Test func `switching on`() {
    var found = consequences(.on)
    found.zones[1].hasCopy = false
    found.pendingPurges = ["directory:/share"]

    #expect(
      found.sentences { "\($0)" } == [
        "The purge of the cloud copy in 'directory:/share' that is still pending is dropped.",
        "Changes of this device go to 'https://example.com' and 'directory:/share', and changes "
          + "that are there come here.",
        "3 records of this device go to 'directory:/share', and what is there already is merged "
          + "with them.",
        "This store's files are in backups again; older backups are not changed.",
      ])
  }

  @Test func `no sentence claims more than can be seen`() {
    let changes: [SwitchChange] = [.on, .off, .offWithPurge]
    let all = changes.flatMap { consequences($0).sentences { "\($0)" } }

    for sentence in all {
      #expect(!sentence.contains("synced") && !sentence.contains("up to date"), "\(sentence)")
    }
  }
}
