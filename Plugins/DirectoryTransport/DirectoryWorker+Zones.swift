import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Finds a zone for one call, and stops where it is not the one that the asker knows.
  func locate(
    _ zone: ZoneID, proof: Proof?, for device: DeviceID
  ) throws(TransportError) -> ZoneFolder {
    try requireRoot()
    if folderNames[zone] == nil { try search(zone) }
    guard let folderName = folderNames[zone] else { throw missing("the zone \(zone.rawValue)") }
    let contents = try contents(of: folderName) ?? MarkerFile.Contents()
    let name = contents.spaces.first?.zoneName ?? folderName
    return try resolve(
      contents, in: folderName, name: name, zone: zone, proof: proof, for: device)
  }

  /// Looks for a zone's space file in all zones' folders.
  private func search(_ zone: ZoneID) throws(TransportError) {
    for folder in try files.list(root + "/zones") ?? [] where folder.kind == .folder {
      let contents = try contents(of: folder.name)
      if contents?.spaces.contains(where: { $0.zone == zone }) == true {
        folderNames[zone] = folder.name
      }
    }
  }

  /// Reads a zone folder's markers.
  func contents(of folderName: String) throws(TransportError) -> MarkerFile.Contents? {
    let path = root + "/" + ZoneFolder.relativePath(folderName)
    let contents = try MarkerFile.contents(of: path, files: files)
    copies.note(contents?.copies ?? 0, in: path)
    return contents
  }

  /// Judges a zone folder's markers: the format, the zone's identity, its incarnation.
  func resolve(
    _ contents: MarkerFile.Contents, in folderName: String, name: String, zone: ZoneID,
    proof: Proof?, for device: DeviceID
  ) throws(TransportError) -> ZoneFolder {
    try requireFormat(contents, name: name)
    guard contents.spaces.contains(where: { $0.zone == zone }) else {
      guard contents.unreadable.isEmpty else { throw notArrived(name) }
      throw contents.spaces.isEmpty ? missing("the zone '\(name)'") : replaced(name)
    }
    // A purge that has not arrived whole is a purge: nothing may be published beside it.
    guard !contents.unreadable.contains(where: MarkerFile.isPurge) else { throw notArrived(name) }
    let incarnation = contents.purges.map(\.incarnation).max() ?? 1
    var spaces = Spaces(contents.spaces, contents.joins)
    if spaces.zones.count > 1 {
      let followers = try followers(contents.spaces, in: folderName, incarnation: incarnation)
      guard let joins = spaces.joins(followers: followers) else { throw twoZones(name) }
      for join in joins { try publish(join, in: folderName, by: device) }
      spaces = Spaces(contents.spaces, contents.joins + joins)
    }
    let folder = ZoneFolder(
      root: root, folderName: folderName, zone: zone, spaces: spaces.zone(of: zone) ?? [zone],
      incarnation: incarnation)
    try check(proof, of: folder, name: name, purges: contents.purges)
    folderNames[zone] = folderName
    return folder
  }

  /// The devices that use each space: its maker, and those who report under it.
  private func followers(
    _ spaces: [SpaceMarker], in folderName: String, incarnation: Int64
  ) throws(TransportError) -> [ZoneID: Set<UInt64>] {
    var followers: [ZoneID: Set<UInt64>] = [:]
    for marker in spaces {
      followers[marker.zone, default: []].insert(marker.maker.id.device)
    }
    let positions = "\(root)/\(ZoneFolder.relativePath(folderName))/i\(incarnation)/ack"
    for file in try positionFiles(in: positions) {
      followers[file.zone, default: []].insert(file.device.id.device)
    }
    return followers
  }

  /// Publishes a marker in a zone's folder.
  func publish(
    _ marker: some Marker, in folderName: String, by device: DeviceID
  ) throws(TransportError) {
    let file = MarkerFile.file(of: marker)
    try files.publish(
      file.bytes, as: file.name, in: root + "/" + ZoneFolder.relativePath(folderName),
      temporary: FolderNames.temporary(of: device, token: random()))
  }

  private func check(
    _ proof: Proof?, of folder: ZoneFolder, name: String, purges: [PurgeMarker]
  ) throws(TransportError) {
    guard let proof else { return }
    guard proof.nonce == folder.zone.nonce else { throw replaced(name) }
    if proof.incarnation < folder.incarnation {
      let purge = purges.max { $0.incarnation < $1.incarnation }
      let who = purge?.device.shownName ?? "a device"
      throw TransportError(
        .zonePurged,
        "Could not use the zone '\(name)' in the folder '\(root)', \(who) removed all its data.",
        advice: "Choose whether to keep this store's data here or to upload it again.",
        remedy: .ask,
        context: [
          "device": purge?.device.id.description ?? "", "deviceName": who,
          "at": String(purge?.purgedAt ?? 0),
        ])
    }
    if proof.incarnation > folder.incarnation {
      throw TransportError(
        .zoneRestored,
        "Could not use the zone '\(name)' in the folder '\(root)', it was put back to an earlier "
          + "state.",
        advice: "Choose whether to keep this store's data here or to upload it again.",
        remedy: .ask)
    }
  }

  private func requireFormat(
    _ contents: MarkerFile.Contents, name: String
  ) throws(TransportError) {
    guard let newer = contents.newerFormat else { return }
    throw TransportError(
      .incompatibleVersion,
      "Could not use the zone '\(name)' in the folder '\(root)', it is in format \(newer) and this "
        + "version reads up to \(MarkerFile.format).",
      advice: "Update this app.", remedy: .ask)
  }
}
