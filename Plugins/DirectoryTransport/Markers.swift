import StrandlineModels
import StrandlineTransport

/// A small JSON file in a zone's folder that is written once and never changed.
///
/// Its name is what it is about, the hash of its content, and its kind: two devices that write one
/// at the same time write two files or the same file twice.
protocol Marker: Hashable, Sendable {
  /// The kind, as it stands in the name.
  static var kind: String { get }
  /// What the marker is about, as it stands in the name.
  var stem: String { get }
  /// The content, without the format.
  var members: [JSONValue.Member] { get }
  /// Reads the content.
  init?(stem: String, json: JSONValue)
}

/// What makes a folder a zone: its random id, its name and its environment.
struct SpaceMarker: Marker {
  static let kind = "space"

  var zone: ZoneID
  var zoneName: String
  var environment: String
  var maker: DeviceInfo
  var madeAt: Int64

  var stem: String { zone.rawValue }

  var members: [JSONValue.Member] {
    [
      .init("space", .string(zone.rawValue)), .init("zone", .string(zoneName)),
      .init("environment", .string(environment)),
      .init("madeBy", .string(maker.id.description)),
      .init("madeByName", .string(maker.name)), .init("madeAt", .integer(madeAt)),
    ]
  }
}

extension SpaceMarker {
  init?(stem: String, json: JSONValue) {
    guard json["space"]?.string == stem, let zone = ZoneID(folderText: stem),
      let environment = json["environment"]?.string,
      let maker = json["madeBy"]?.string.flatMap(DeviceID.init)
    else { return nil }
    self.init(
      zone: zone, zoneName: json["zone"]?.string ?? "", environment: environment,
      maker: DeviceInfo(id: maker, name: json["madeByName"]?.string ?? ""),
      madeAt: json["madeAt"]?.integer ?? 0)
  }
}

/// That two zones which were made in one place before their makers met are one zone.
struct JoinMarker: Marker {
  static let kind = "join"

  /// The zone whose id gives way.
  var loser: ZoneID
  /// The zone that it belongs to now.
  var winner: ZoneID

  var stem: String { loser.rawValue }

  var members: [JSONValue.Member] {
    [
      .init("space", .string(loser.rawValue)), .init("belongsTo", .string(winner.rawValue)),
    ]
  }
}

extension JoinMarker {
  init?(stem: String, json: JSONValue) {
    guard json["space"]?.string == stem, let loser = ZoneID(folderText: stem),
      let winner = json["belongsTo"]?.string.flatMap(ZoneID.init(folderText:))
    else { return nil }
    self.init(loser: loser, winner: winner)
  }
}

/// That everything in the zone was removed, and who asked for it.
struct PurgeMarker: Marker {
  static let kind = "purge"

  /// The incarnation that begins with it.
  var incarnation: Int64
  /// Who asked.
  var device: DeviceInfo
  /// When, in milliseconds since 1970, by the device's clock.
  var purgedAt: Int64

  var stem: String { String(incarnation) }

  var members: [JSONValue.Member] {
    [
      .init("incarnation", .integer(incarnation)),
      .init("purgedBy", .string(device.id.description)),
      .init("purgedByName", .string(device.name)), .init("purgedAt", .integer(purgedAt)),
    ]
  }
}

extension PurgeMarker {
  init?(stem: String, json: JSONValue) {
    guard let incarnation = json["incarnation"]?.integer, String(incarnation) == stem,
      (2...1_000_000).contains(incarnation),
      let device = json["purgedBy"]?.string.flatMap(DeviceID.init)
    else { return nil }
    self.init(
      incarnation: incarnation,
      device: DeviceInfo(id: device, name: json["purgedByName"]?.string ?? ""),
      purgedAt: json["purgedAt"]?.integer ?? 0)
  }
}

extension ZoneID {
  private static let byteCount = 16

  /// Makes a zone's id from random bytes.
  init(bytes: [UInt8]) {
    self.init(rawValue: Hexadecimal.text(bytes))
  }

  /// Reads an id as it stands in names: 32 hexadecimal digits in lower case.
  init?(folderText text: String) {
    guard let bytes = Hexadecimal.bytes(text), bytes.count == Self.byteCount else { return nil }
    self.init(bytes: bytes)
    guard rawValue == text else { return nil }
  }

  /// The nonce that proves to the engine that this is the same zone.
  var nonce: UInt64 {
    ContentHash.of(Array(rawValue.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
