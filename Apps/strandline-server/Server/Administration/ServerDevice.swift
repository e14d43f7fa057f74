import StrandlineModels
import StrandlineTransport

/// The device as which the keeper of a server edits: one for each server, a new epoch after each
/// restore.
enum ServerDevice {
  /// The name that people see.
  static let name = "server"

  /// The device of a server.
  static func info(of storage: some ServerStorage) throws(TransportError) -> DeviceInfo {
    let identity = try storage.identity()
    let digest = Digest.blake2b(Array("device of server \(identity.id)".utf8))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let epoch = UInt32(truncatingIfNeeded: identity.incarnation)
    return DeviceInfo(id: DeviceID(device: number, epoch: epoch), name: name)
  }
}
