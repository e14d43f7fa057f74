package import StrandlineTransport

/// A zone apart from its contents.
package struct Zone: Hashable, Sendable {
  /// The random name, made with the zone.
  package let id: ZoneID
  /// The account that it belongs to.
  package let account: String
  /// The environment.
  package let environment: ZoneEnvironment
  /// The name that people chose.
  package let name: String
  /// How often the zone was announced to begin anew.
  package var incarnation: Int64 = 1
  /// The number of the newest fact.
  package var head: Int64 = 0
  /// Up to here deaths and conflicts are no longer told.
  package var fence: Int64 = 0
  /// The head that the newest backup holds, which the fence does not pass; nil without backups.
  package var fenceBound: Int64?
  /// Who asked for its contents to be removed, if anybody did.
  package var purge: PurgeNote?

  /// Makes an empty zone.
  package init(id: ZoneID, account: String, environment: ZoneEnvironment, name: String) {
    self.id = id
    self.account = account
    self.environment = environment
    self.name = name
  }

  /// A number that tells this zone's cursors from those of others: FNV-1a over its id.
  package var mark: UInt64 {
    id.rawValue.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  }
}

/// Who purged a zone and when.
package struct PurgeNote: Hashable, Sendable {
  /// The device that asked.
  package let device: DeviceInfo
  /// Milliseconds since 1970, by the authority's clock.
  package let at: Int64

  /// Makes a note.
  package init(device: DeviceInfo, at: Int64) {
    self.device = device
    self.at = at
  }
}
