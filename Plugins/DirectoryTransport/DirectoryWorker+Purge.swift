import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Leaves word that everything was removed, then removes what the transport has written.
  ///
  /// Files that are not its own stay where they are.
  func purge(_ request: PurgeRequest) throws(TransportError) {
    try requireContents()
    let folder = try locate(request.zone, proof: request.proof, for: request.device.id)
    guard try !isPurged(folder, by: request.device.id) else { return }
    let marker = PurgeMarker(
      incarnation: folder.incarnation + 1, device: request.device.bounded,
      purgedAt: clock.milliseconds)
    try publish(marker, in: folder.folderName, by: request.device.id)
    for incarnation in 1...folder.incarnation {
      try removeData(of: incarnation, in: folder)
    }
    let device = request.device.id
    own[OwnKey(zone: request.zone, device: device)] = OwnFolder()
    staged[OwnKey(zone: request.zone, device: device)] = nil
    vectors[request.zone] = nil
  }

  /// Refuses a folder that is missing or empty: a disk may not be connected, and what is on it is
  /// not gone.
  private func requireContents() throws(TransportError) {
    let isThere = try files.kind(root) == .folder
    if isThere, try !(files.list(root) ?? []).isEmpty { return }
    throw TransportError(
      .unreachable,
      "Could not purge the zone in the folder '\(root)', the folder is "
        + (isThere ? "empty." : "not there."),
      advice: "Connect the disk or share that holds it.", remedy: .retry(afterMilliseconds: nil))
  }

  /// Whether this device's purge is the last thing that happened here: then the call is a repeated
  /// one.
  private func isPurged(
    _ folder: ZoneFolder, by device: DeviceID
  ) throws(TransportError) -> Bool {
    guard try writers(in: folder).isEmpty else { return false }
    let purges = try contents(of: folder.folderName)?.purges ?? []
    return purges.contains {
      $0.incarnation == folder.incarnation && $0.device.id == device
    }
  }

  private func removeData(
    of incarnation: Int64, in current: ZoneFolder
  ) throws(TransportError) {
    let folder = ZoneFolder(
      root: root, folderName: current.folderName, zone: current.zone, spaces: current.spaces,
      incarnation: incarnation)
    for writer in try writers(in: folder) {
      for name in try segmentNames(of: writer, in: folder) {
        try files.remove(folder.writerPath(writer) + "/" + name.text)
      }
      try files.removeIfEmpty(folder.writerPath(writer))
    }
    let positions = root + "/" + folder.positionsPath
    for entry in try files.list(positions) ?? []
    where entry.kind == .file && FolderNames.positionsOwner(entry.name) != nil {
      try files.remove(positions + "/" + entry.name)
    }
    for path in [root + "/" + folder.writersPath, positions, "\(folder.path)/i\(incarnation)"] {
      try files.removeIfEmpty(path)
    }
  }
}
