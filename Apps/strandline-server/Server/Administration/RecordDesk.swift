import StrandlineAuthority
import StrandlineModels
import StrandlineTransport

/// Reads and edits the records of one zone as a device named "server".
///
/// An edit goes the way of every device's: one group through the authority, whose stamp lies above
/// all that the record holds. So it arrives on devices like any edit, and where another device
/// wrote at the same time the loser is listed.
struct RecordDesk {
  private(set) var authority: Authority<SQLiteServerStorage>
  let zone: Zone
  private let now: Int64
  private var random: any RandomNumberGenerator & Sendable

  init(
    authority: Authority<SQLiteServerStorage>, zone: Zone, now: Int64,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.authority = authority
    self.zone = zone
    self.now = now
    self.random = random
  }

  /// The records that live, of all entities or one.
  func records(of entity: String?) throws(TransportError) -> [ZoneRecord] {
    var records: [ZoneRecord] = []
    for key in try authority.storage.keys(in: zone.id, entity: entity) {
      if let record = try living(key) { records.append(record) }
    }
    return records
  }

  /// A record, if it lives.
  func living(_ key: RecordKey) throws(TransportError) -> ZoneRecord? {
    guard let record = try authority.storage.record(key, in: zone.id), record.birth != nil else {
      return nil
    }
    return record
  }

  /// The properties of an entity that the zone's environment knows.
  func properties(of entity: String) throws(TransportError) -> Set<String>? {
    try authority.storage.schema(of: zone.environment)[entity]
  }

  /// Sets properties of a record as one group.
  mutating func set(
    _ values: [String: Value], of record: ZoneRecord
  ) throws(TransportError) -> Acceptance? {
    guard let life = record.birth?.fact else { return nil }
    let stamp = stamp(above: record)
    return try send(
      RecordDelta(
        key: record.key,
        versions: values.mapValues { Version(life: life, stamp: stamp, value: $0) }))
  }

  /// Deletes a record as one group.
  mutating func delete(_ record: ZoneRecord) throws(TransportError) -> Acceptance? {
    guard let life = record.birth?.fact else { return nil }
    return try send(
      RecordDelta(key: record.key, death: Death(life: life, stamp: stamp(above: record))))
  }

  /// A stamp of now, or one just above all of the record's where those lie ahead.
  private mutating func stamp(above record: ZoneRecord) -> Stamp {
    var greatest = record.birth?.fact ?? .unset
    if let death = record.death?.fact { greatest = max(greatest, death.life, death.stamp) }
    for version in record.versions.values {
      greatest = max(greatest, version.fact.life, version.fact.stamp)
    }
    var clock = HybridClock(seen: greatest, salt: UInt16(truncatingIfNeeded: random.next()))
    return clock.mint(now: now)
  }

  private mutating func send(_ delta: RecordDelta) throws(TransportError) -> Acceptance? {
    let device = try ServerDevice.info(of: authority.storage)
    let base = try authority.storage.device(device.id, in: zone.id)?.lastAccepted?.sequence ?? 0
    let header = GroupHeader(
      token: random.next(), base: base, sequence: base + 1, transactionToken: random.next(),
      recordCount: 1)
    // What was read is what the zone held when the record was read.
    let place = ZonePlace(mark: zone.mark, incarnation: zone.incarnation, sequence: zone.head)
    let page = SendPage(
      device: device, zone: zone.id, proof: nil, cursor: place.cursor, group: header, page: 0,
      isLast: true, deltas: [delta])
    let answer = try authority.send(page, account: zone.account)
    if let refusal = answer.refused.first {
      throw TransportError(.invalidRequest, refusal.message, remedy: .stop)
    }
    return answer.acceptance
  }
}
