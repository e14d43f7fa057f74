import StrandlineModels
import StrandlineTransport

/// A device that is nothing but merged states, a clock, a cursor and what it has yet to send.
struct FleetDevice {
  let info: DeviceInfo
  var clock: HybridClock
  var states: [RecordKey: RecordState] = [:]
  /// Own facts that no acceptance covers yet, the newest of each kind.
  var pending: [RecordKey: RecordDelta] = [:]
  var cursor: Cursor?
  /// What had been read when the oldest pending fact was made.
  var pendingCursor: Cursor?
  var proof: Proof?
  var conflicts: Set<ConflictEntry> = []
  var acknowledged: Int64 = 0
  var sequence: Int64 = 0
  var hasOpened = false

  init(number: UInt64, salt: UInt16) {
    info = DeviceInfo(id: DeviceID(device: number, epoch: 1), name: "device \(number)")
    clock = HybridClock(salt: salt)
  }

  /// Merges facts that came from elsewhere.
  mutating func apply(_ delta: RecordDelta) {
    clock.observe(delta.greatestStamp)
    _ = states[delta.key, default: RecordState()].merge(delta)
  }

  /// Merges facts that this device made and puts them into its queue.
  private mutating func record(_ delta: RecordDelta) {
    if pending.isEmpty { pendingCursor = cursor }
    sequence += 1
    apply(delta)
    var queued = pending[delta.key] ?? RecordDelta(key: delta.key)
    if let birth = delta.birth {
      queued.birth = birth
      queued.versions = [:]
    }
    if let death = delta.death {
      queued.death = death
      queued.versions = [:]
    }
    queued.versions.merge(delta.versions) { $1 }
    pending[delta.key] = queued
  }

  mutating func insert(_ key: RecordKey, _ values: [String: Value], now: Int64) -> RecordDelta {
    let state = states[key] ?? RecordState()
    let life = max(clock.mint(now: now), state.born.next, state.died.next)
    let delta = RecordDelta(
      key: key, birth: life,
      versions: values.mapValues { Version(life: life, stamp: life, value: $0) })
    record(delta)
    return delta
  }

  mutating func edit(
    _ key: RecordKey, _ property: String, _ value: Value, now: Int64
  ) -> RecordDelta {
    let state = states[key] ?? RecordState()
    let old = state.versions[property]?.stamp ?? state.born
    let version = Version(
      life: state.born, stamp: max(clock.mint(now: now), old.next), value: value)
    let delta = RecordDelta(key: key, versions: [property: version])
    record(delta)
    return delta
  }

  mutating func delete(_ key: RecordKey, now: Int64) -> RecordDelta {
    let state = states[key] ?? RecordState()
    let delta = RecordDelta(
      key: key, death: Death(life: state.born, stamp: clock.mint(now: now)))
    record(delta)
    return delta
  }

  /// What a person would see, and what waits for a birth.
  var visible: [RecordKey: RecordState] {
    states.compactMapValues { state in
      guard state.isAlive || !state.parked.isEmpty else { return nil }
      return RecordState(
        born: state.isAlive ? state.born : .unset, versions: state.versions,
        parked: state.parked)
    }
  }
}
