import Strandline

/// A look at a zone through the transport alone, without a store.
actor PeerReader {
  private let transport: any Transport
  private let device = DeviceInfo(
    id: DeviceID(device: .random(in: 1 ... .max), epoch: 1), name: "verify")
  private let zoneName: String
  private let environment: ZoneEnvironment
  private let schema: [String: Set<String>]
  private var zone: ZoneDescription?

  init(
    _ transport: any Transport, zone: String, environment: ZoneEnvironment,
    schema: [String: Set<String>]
  ) {
    self.transport = transport
    zoneName = zone
    self.environment = environment
    self.schema = schema
  }

  /// Whether the zone was made.
  var isOpen: Bool { zone != nil }

  /// Asks who is signed in.
  ///
  /// - Throws: `accountUnavailable` where nobody is; what the transport throws.
  func account() async throws -> String {
    switch try await transport.account() {
    case .available(let account): return account
    case .signedOut:
      throw TransportError(
        .accountUnavailable, "Could not use '\(transport.specification)', nobody is signed in.",
        advice: "Sign in, or name an access token with --token-file.", remedy: .waitForAccount)
    case .restricted:
      throw TransportError(
        .accountUnavailable,
        "Could not use '\(transport.specification)', the account is restricted.",
        advice: "Lift the restriction.", remedy: .waitForAccount)
    case .undetermined:
      throw TransportError(
        .accountUnavailable,
        "Could not use '\(transport.specification)', the account cannot be told now.",
        advice: "Try again later.", remedy: .waitForAccount)
    }
  }

  /// Makes the zone.
  func open() async throws {
    zone = try await transport.open(
      OpenRequest(
        device: device, zoneName: zoneName, environment: environment, expected: nil,
        schema: schema, proof: nil))
  }

  /// Reads the zone from its beginning.
  ///
  /// - Returns: The changes of one record, as the zone tells them.
  /// - Throws: What the transport throws.
  func changes(of key: RecordKey) async throws -> [RecordDelta] {
    guard let zone else { return [] }
    var found: [RecordDelta] = []
    var cursor: Cursor?
    while true {
      let page = try await transport.fetch(
        FetchRequest(
          device: device, zone: zone.zone, proof: nil, cursor: cursor, limit: 1000))
      found += page.changes.map(\.delta).filter { $0.key == key }
      if page.headReached { return found }
      try Task.checkCancellation()
      cursor = page.cursor
    }
  }

  /// Removes everything in the zone, with its devices.
  func purge() async throws {
    guard let zone else { return }
    try await transport.purge(PurgeRequest(device: device, zone: zone.zone))
    self.zone = nil
  }
}
