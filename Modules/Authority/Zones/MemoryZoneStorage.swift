package import StrandlineModels
package import StrandlineTransport

/// Zones in dictionaries, for tests and for clouds inside a process.
package struct MemoryZoneStorage: ZoneStorage {
  private var order: [ZoneID] = []
  private var zonesByID: [ZoneID: Zone] = [:]
  private var contents: [ZoneID: MemoryZoneContents] = [:]
  private var schemas: [ZoneEnvironment: [String: Set<String>]] = [:]

  /// Starts with no zones.
  package init() {}

  package mutating func begin(_ durability: Durability) {}
  package mutating func commit() {}
  package mutating func rollBack() {}

  package func zone(_ id: ZoneID) -> Zone? { zonesByID[id] }

  package func zone(
    named name: String, account: String, environment: ZoneEnvironment
  ) -> Zone? {
    let id = order.last { id in
      guard let zone = zonesByID[id] else { return false }
      return zone.name == name && zone.account == account && zone.environment == environment
    }
    return id.flatMap { zonesByID[$0] }
  }

  package func zones() -> [Zone] { order.compactMap { zonesByID[$0] } }

  package mutating func save(_ zone: Zone) {
    if zonesByID.updateValue(zone, forKey: zone.id) == nil { order.append(zone.id) }
  }

  package mutating func removeContents(of zone: ZoneID) { contents[zone] = nil }

  package func schema(of environment: ZoneEnvironment) -> [String: Set<String>] {
    schemas[environment] ?? [:]
  }

  package mutating func extend(
    _ environment: ZoneEnvironment, by schema: [String: Set<String>]
  ) {
    schemas[environment, default: [:]].merge(schema) { $0.union($1) }
  }
}

extension MemoryZoneStorage {
  package func nonce(of sequence: Int64, in zone: ZoneID) -> UInt64? {
    contents[zone]?.nonces[sequence]
  }

  package mutating func addNonce(_ nonce: UInt64, of sequence: Int64, in zone: ZoneID) {
    contents[zone, default: .init()].nonces[sequence] = nonce
  }

  package mutating func forgetNonces(before sequence: Int64, in zone: ZoneID) {
    guard let nonces = contents[zone]?.nonces,
      let last = nonces.keys.filter({ $0 <= sequence }).max()
    else { return }
    contents[zone]?.nonces = nonces.filter { $0.key >= last }
  }

  package mutating func forgetAllNonces(in zone: ZoneID) {
    contents[zone]?.nonces = [:]
  }

  package func record(_ key: RecordKey, in zone: ZoneID) -> ZoneRecord? {
    contents[zone]?.records[key]
  }

  package mutating func save(_ record: ZoneRecord, in zone: ZoneID) {
    contents[zone, default: .init()].save(record)
  }

  package func holds(_ conflict: ConflictEntry, in zone: ZoneID) -> Bool {
    contents[zone]?.knownConflicts.contains(conflict) ?? false
  }

  package mutating func add(_ conflict: ConflictEntry, at sequence: Int64, in zone: ZoneID) {
    contents[zone, default: .init()].add(conflict, at: sequence)
  }

  package mutating func forgetConflicts(through sequence: Int64, in zone: ZoneID) {
    contents[zone]?.forgetConflicts(through: sequence)
  }

  package func readFeed(
    after sequence: Int64, deathsAfter deathsRead: Int64, in zone: ZoneID,
    visit: (FeedEntry) -> Bool
  ) {
    contents[zone]?.readFeed(after: sequence, deathsAfter: deathsRead, visit: visit)
  }
}

extension MemoryZoneStorage {
  package func device(_ id: DeviceID, in zone: ZoneID) -> ZoneDevice? {
    contents[zone]?.devices[id]
  }

  package func devices(in zone: ZoneID) -> [ZoneDevice] {
    (contents[zone]?.devices.values).map { $0.sorted { $0.id < $1.id } } ?? []
  }

  package mutating func save(_ device: ZoneDevice, in zone: ZoneID) {
    contents[zone, default: .init()].devices[device.id] = device
  }

  package func memo(of device: DeviceID, in zone: ZoneID) -> AcceptedMemo? {
    contents[zone]?.memos[device]
  }

  package func writtenFacts(of device: DeviceID, in zone: ZoneID) -> Set<WrittenFact> {
    contents[zone]?.writtenFacts[device] ?? []
  }

  package mutating func save(
    _ memo: AcceptedMemo, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) {
    contents[zone, default: .init()].memos[device] = memo
    contents[zone, default: .init()].writtenFacts[device] = Set(
      deltas.flatMap { delta in
        delta.versions.map { WrittenFact(key: delta.key, property: $0.key, version: $0.value) }
      })
  }

  package func stagedGroup(of device: DeviceID, in zone: ZoneID) -> StagedGroup? {
    contents[zone]?.staged[device]
  }

  package func stagedDeltas(of device: DeviceID, in zone: ZoneID) -> [RecordDelta] {
    (contents[zone]?.stagedPages[device] ?? [:]).sorted { $0.key < $1.key }.flatMap(\.value)
  }

  package mutating func stage(
    _ group: StagedGroup, page: Int, deltas: [RecordDelta], of device: DeviceID, in zone: ZoneID
  ) {
    contents[zone, default: .init()].staged[device] = group
    contents[zone, default: .init()].stagedPages[device, default: [:]][page] = deltas
  }

  package mutating func dropStagedGroup(of device: DeviceID, in zone: ZoneID) {
    contents[zone]?.staged[device] = nil
    contents[zone]?.stagedPages[device] = nil
  }
}
