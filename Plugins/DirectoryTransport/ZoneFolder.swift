import StrandlineModels
import StrandlineTransport

/// A zone as it stands in the folder at the moment of one call.
///
/// `zones/NAME/` holds the markers, and `iN/` what was published in incarnation N: `w/WRITER/` the
/// segments of one writer, `ack/` a position file for each device.
struct ZoneFolder: Hashable, Sendable {
  /// The transport's folder.
  let root: String
  /// The name of the zone's folder.
  let folderName: String
  /// The zone as the asker knows it.
  let zone: ZoneID
  /// All ids of the zone; there are several if its first devices met late.
  let spaces: Set<ZoneID>
  /// How often the zone was purged, plus one.
  let incarnation: Int64

  /// The zone's folder.
  var path: String { root + "/" + relativePath }
  /// The zone's folder below the transport's.
  var relativePath: String { Self.relativePath(folderName) }
  /// Where the writers' folders are, below the transport's folder.
  var writersPath: String { "\(relativePath)/i\(incarnation)/w" }
  /// Where the position files are, below the transport's folder.
  var positionsPath: String { "\(relativePath)/i\(incarnation)/ack" }

  /// What the zone shows.
  var proof: Proof { Proof(incarnation: incarnation, sequence: 0, nonce: zone.nonce) }

  /// The folder of a zone below the transport's folder.
  static func relativePath(_ folderName: String) -> String { "zones/\(folderName)" }

  /// The folder of one writer.
  func writerPath(_ device: DeviceID) -> String { "\(root)/\(writersPath)/\(device)" }
}
