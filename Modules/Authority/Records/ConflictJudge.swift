package import StrandlineModels
package import StrandlineTransport

/// Tells which losers of a merge are conflicts that people should see.
///
/// A loser is a conflict where two devices wrote without knowing of each other: one fact came
/// with this send, the other was numbered after the cursor that the send names, by another
/// device. A device's own values never conflict with each other, and equal values never conflict.
package struct ConflictJudge: Sendable {
  /// The device that sends.
  package let sender: DeviceID
  /// The sequence up to which the sender had read the zone.
  package let read: Int64
  /// What the sender's last accepted group held: that was judged when it came.
  ///
  /// It is nil until it is needed, which is where something that was sent has lost.
  package var repeated: Set<WrittenFact>?

  /// Makes a judge for one send.
  package init(sender: DeviceID, read: Int64) {
    self.sender = sender
    self.read = read
  }

  /// Whether the judgement of a merge needs ``repeated``.
  package func needsRepeated(_ outcome: MergeOutcome) -> Bool {
    repeated == nil && outcome.losers.contains(where: \.isIncoming)
  }

  /// The conflicts of one merge, in an order that is the same on every run.
  package func conflicts(
    of outcome: MergeOutcome, before: ZoneRecord, after: ZoneRecord
  ) -> [ConflictEntry] {
    var entries: [ConflictEntry] = []
    for loser in outcome.losers where !isSameValue(loser, in: after) {
      if loser.isIncoming {
        guard isConcurrent(winner(over: loser, in: before)) || isUnseen(loser, in: before),
          !isRepeated(loser, of: before.key)
        else { continue }
        entries.append(entry(for: loser, of: before.key, writtenBy: sender))
      } else {
        let slot = RecordState.ParkedKey(life: loser.version.life, property: loser.property)
        guard let stored = before.versions[slot], stored.fact == loser.version,
          isConcurrent(Place(stored))
        else { continue }
        entries.append(entry(for: loser, of: before.key, writtenBy: stored.device))
      }
    }
    return entries.sorted {
      $0.property != $1.property ? $0.property < $1.property : $0.loser < $1.loser
    }
  }

  /// Where and by whom a fact was taken.
  private struct Place {
    let sequence: Int64
    let device: DeviceID

    init(_ numbered: Numbered<some Hashable & Sendable>) {
      sequence = numbered.sequence
      device = numbered.device
    }
  }

  private func isConcurrent(_ place: Place?) -> Bool {
    guard let place else { return false }
    return place.sequence > read && place.device != sender
  }

  /// Whether an edit was made after the delete that it loses to, by somebody unaware.
  ///
  /// A cursor that began with a listing passes deaths that were never told, so for these the
  /// number proves nothing; but who deleted cannot have seen what was written later.
  private func isUnseen(_ loser: MergeOutcome.Loser, in before: ZoneRecord) -> Bool {
    guard loser.cause == .death, let death = before.death, death.device != sender else {
      return false
    }
    return death.fact.life >= loser.version.life && loser.version.stamp > death.fact.stamp
  }

  /// The stored fact that an incoming version lost to; nil where it lost to its own send.
  private func winner(over loser: MergeOutcome.Loser, in before: ZoneRecord) -> Place? {
    let life = loser.version.life
    switch loser.cause {
    case .death:
      guard let death = before.death, death.fact.life >= life else { return nil }
      return Place(death)
    case .laterLife:
      guard let birth = before.birth, birth.fact > life else { return nil }
      return Place(birth)
    case .version(let winner):
      let slot = RecordState.ParkedKey(life: life, property: loser.property)
      guard let stored = before.versions[slot], stored.fact == winner else { return nil }
      return Place(stored)
    }
  }

  /// Whether what shows instead is the same value, so that nothing is lost.
  private func isSameValue(_ loser: MergeOutcome.Loser, in after: ZoneRecord) -> Bool {
    if case .version(let winner) = loser.cause { return winner.value == loser.version.value }
    guard let born = after.birth?.fact else { return false }
    let slot = RecordState.ParkedKey(life: born, property: loser.property)
    return after.versions[slot]?.fact.value == loser.version.value
  }

  private func isRepeated(_ loser: MergeOutcome.Loser, of key: RecordKey) -> Bool {
    repeated?.contains(WrittenFact(key: key, property: loser.property, version: loser.version))
      ?? false
  }

  private func entry(
    for loser: MergeOutcome.Loser, of key: RecordKey, writtenBy device: DeviceID
  ) -> ConflictEntry {
    ConflictEntry(key: key, property: loser.property, loser: loser.version, device: device)
  }
}
