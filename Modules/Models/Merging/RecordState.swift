/// The merged facts about one record, on a device or in the cloud.
///
/// A record's life is named by the stamp of the insert that began it. The record lives while
/// ``born`` is greater than the life of its ``death``. Only versions of the present life are
/// kept; versions of a later life than any known wait as ``parked``.
///
/// The state is a join semilattice (Shapiro and others, "Conflict-free Replicated Data Types",
/// 2011): ``merge(_:)`` is commutative, associative and idempotent over deltas.
public struct RecordState: Hashable, Sendable {
  /// The greatest birth that is known, or unset.
  public private(set) var born: Stamp
  /// The end of the greatest life that was deleted, if any was.
  public private(set) var death: Death?
  /// The greatest version of each written property of the present life.
  public private(set) var versions: [String: Version]
  /// Versions that wait for the birth of their life, the greatest per life and property.
  public private(set) var parked: [ParkedKey: Version]

  /// Which property of which later life a parked version belongs to.
  public struct ParkedKey: Hashable, Sendable {
    /// The life that is not known yet.
    public let life: Stamp
    /// The property's permanent key.
    public let property: String

    /// Names a parked version.
    public init(life: Stamp, property: String) {
      self.life = life
      self.property = property
    }
  }

  /// Starts from facts that are known, by default none.
  public init(
    born: Stamp = .unset, death: Death? = nil, versions: [String: Version] = [:],
    parked: [ParkedKey: Version] = [:]
  ) {
    self.born = born
    self.death = death
    self.versions = versions
    self.parked = parked
  }

  /// The greatest life that was deleted, or unset.
  public var died: Stamp { death?.life ?? .unset }

  /// Whether the record exists now.
  public var isAlive: Bool { born > died }
}

extension RecordState {
  /// Merges facts into the state and says what that did.
  public mutating func merge(_ delta: RecordDelta) -> MergeOutcome {
    var outcome = MergeOutcome(wasAlive: isAlive)
    mergeDeath(delta.death, into: &outcome)
    mergeBirth(delta.birth, into: &outcome)
    for (property, version) in delta.versions where version.stamp != .unset {
      mergeVersion(version, of: property, into: &outcome)
    }
    outcome.isAlive = isAlive
    return outcome
  }

  private mutating func mergeDeath(_ new: Death?, into outcome: inout MergeOutcome) {
    guard let new, death.map({ new > $0 }) ?? true else { return }
    let endsKnownLife = new.life > died
    death = new
    outcome.deathRose = true
    guard endsKnownLife else { return }
    if !isAlive { dropVersions(because: .death, into: &outcome) }
    for (key, version) in parked where key.life <= new.life {
      parked[key] = nil
      outcome.parkedDropped.insert(key)
      outcome.lose(version, of: key.property, isIncoming: false, because: .death)
    }
  }

  private mutating func mergeBirth(_ new: Stamp?, into outcome: inout MergeOutcome) {
    guard let new, new > born else { return }
    dropVersions(because: .laterLife, into: &outcome)
    born = new
    outcome.bornRose = true
    for (key, version) in parked where key.life <= new {
      parked[key] = nil
      outcome.parkedDropped.insert(key)
      if key.life == new, isAlive {
        versions[key.property] = version
        outcome.changed.insert(key.property)
      } else {
        let cause: MergeOutcome.Cause = key.life <= died ? .death : .laterLife
        outcome.lose(version, of: key.property, isIncoming: false, because: cause)
      }
    }
  }

  private mutating func mergeVersion(
    _ new: Version, of property: String, into outcome: inout MergeOutcome
  ) {
    if new.life <= died {
      outcome.lose(new, of: property, isIncoming: true, because: .death)
    } else if new.life < born {
      outcome.lose(new, of: property, isIncoming: true, because: .laterLife)
    } else if new.life > born {
      park(new, of: property, into: &outcome)
    } else if let old = versions[property], old >= new {
      if old != new {
        outcome.lose(new, of: property, isIncoming: true, because: .version(old))
      }
    } else {
      if let old = versions.updateValue(new, forKey: property) {
        outcome.lose(old, of: property, isIncoming: false, because: .version(new))
      }
      outcome.changed.insert(property)
    }
  }

  private mutating func park(
    _ new: Version, of property: String, into outcome: inout MergeOutcome
  ) {
    let key = ParkedKey(life: new.life, property: property)
    if let old = parked[key] {
      guard old != new else { return }
      let (winner, loser) = old > new ? (old, new) : (new, old)
      outcome.lose(loser, of: property, isIncoming: loser == new, because: .version(winner))
      guard winner == new else { return }
    }
    parked[key] = new
    outcome.parkedAdded.insert(key)
  }

  private mutating func dropVersions(
    because cause: MergeOutcome.Cause, into outcome: inout MergeOutcome
  ) {
    for (property, version) in versions {
      outcome.lose(version, of: property, isIncoming: false, because: cause)
    }
    versions = [:]
  }
}
