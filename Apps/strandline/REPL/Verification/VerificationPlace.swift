import Foundation
import Strandline

/// Where a verification takes place: a temporary folder, a zone of its own, and the peer.
@MainActor struct VerificationPlace {
  let folder: String
  let zone: String
  let environment: ZoneEnvironment
  let schema: Schema
  let model: GateModel
  let registry: Registry
  let peer: PeerOpening
  let transport: any Transport

  /// The peer in the person's words.
  var specification: String { transport.specification }

  /// Whether other processes can reach the zone, so that devices can be processes.
  var hasProcesses: Bool { !transport.traits.isEphemeral }

  /// Takes a peer of a session; the folder is made by ``makeFolder()``.
  init(_ session: Session, _ configured: Configuration.Peer) async throws {
    guard let model = GateModel(session.schema) else {
      throw CommandError(
        "nothingToVerify", "Could not verify, the model has no synced entity with a text.",
        advice: "Add one to the model, or name another model with --model.")
    }
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let home = session.home
    peer = PeerOpening(
      transport: configured.transport, tokenFile: configured.tokenFile, token: home.token?.text,
      authorityFile: configured.authorityFile ?? home.authorityFile, account: configured.account)
    guard let made = try await session.registry.make(peer.configuration) else {
      throw CommandError(
        "noTransport", "Could not verify, no transport is configured.",
        advice: "Name one with --transport, or use transport use SPEC.", exitCode: .transport)
    }
    transport = made
    zone = "verify-\(random)"
    folder = FileManager.default.temporaryDirectory.path + "/strandline-verify-\(random)"
    environment = home.environment
    schema = session.schema
    registry = session.registry
    self.model = model
  }

  /// Makes the temporary folder, which only this user can read.
  func makeFolder() throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw GateFailure(
        "folderUnusable", "Could not make the temporary folder '\(folder)'.",
        advice: "Free some space there, or name another place in TMPDIR.")
    }
  }

  /// Removes the temporary folder.
  func removeFolder() throws {
    guard FileManager.default.fileExists(atPath: folder) else { return }
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      throw GateFailure(
        "folderUnusable", "Could not remove the temporary folder '\(folder)'.",
        advice: "Remove it by hand.")
    }
  }

  /// How a device opens its store.
  func opening(_ name: String, isLocal: Bool = false, pageRecords: Int? = nil) -> DeviceOpening {
    DeviceOpening(
      store: "\(folder)/\(name)/store.sqlite", model: schema.modelFile.text,
      name: "verify-\(name)", zone: zone, isProduction: environment == .production,
      peer: isLocal ? nil : peer, pageRecords: pageRecords)
  }

  /// A look at the zone through the transport alone.
  func reader() -> PeerReader {
    PeerReader(
      transport, zone: zone, environment: environment, schema: schema.syncedKeys)
  }

  /// The way to a device that is not open yet.
  func driver(_ name: String) throws(GateFailure) -> any DeviceDriver {
    hasProcesses ? try ProcessDriver(name) : LocalDriver(name, registry: registry)
  }
}
