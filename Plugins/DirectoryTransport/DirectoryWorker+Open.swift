import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Opens a zone, and makes it where nothing is known or there of it.
  func open(_ request: OpenRequest) throws(TransportError) -> ZoneDescription {
    try requireRoot()
    let folderName = FolderNames.zone(request.zoneName)
    var contents = try contents(of: folderName) ?? MarkerFile.Contents()
    var made: ZoneID?
    if request.expected == nil, contents.spaces.isEmpty, contents.newerFormat == nil {
      guard contents.unreadable.isEmpty, !contents.hasData else {
        throw notArrived(request.zoneName)
      }
      made = try makeZone(request, in: folderName)
      contents = try self.contents(of: folderName) ?? contents
    }
    let folder = try resolve(contents, for: request, in: folderName)
    try requireEnvironment(request, contents.spaces, folder)
    try removeLeftovers(of: request.device.id, in: folder)
    let names = try segmentNames(of: request.device.id, in: folder)
    let files = Set(names.map(\.text))
    own[OwnKey(zone: folder.zone, device: request.device.id)] = OwnFolder(
      mine: files, published: files)
    let tail = try ownTail(of: request.device.id, in: folder, names: names)
    try requireAcknowledged(request, end: tail?.header.sequence ?? 0, in: folder)
    return ZoneDescription(
      account: DirectoryTransport.accountID, zone: folder.zone,
      wasCreated: made == folder.zone, proof: folder.proof,
      lastAccepted: tail.map {
        AcceptedGroup(
          sequence: $0.header.sequence, transactionToken: $0.header.transactionToken)
      },
      held: held(names, of: request.device.id, in: folder),
      limits: limits.transport)
  }

  /// Stops where the device's own folder lacks the last of what was acknowledged to it: the folder
  /// was put back, or somebody has tidied it.
  private func requireAcknowledged(
    _ request: OpenRequest, end: Int64, in folder: ZoneFolder
  ) throws(TransportError) {
    guard request.expected != nil, request.acknowledged > end else { return }
    noteAcknowledged(request.acknowledged, to: request.device.id, in: folder)
    deviceNames[request.device.id] = request.device.shownName
    throw restored(
      request.device.id, folder, "does not find its change \(request.acknowledged) there")
  }

  private func resolve(
    _ contents: MarkerFile.Contents, for request: OpenRequest, in folderName: String
  ) throws(TransportError) -> ZoneFolder {
    let spaces = Spaces(contents.spaces, contents.joins)
    let wanted = request.expected ?? spaces.zones.first.map { spaces.name(of: $0) }
    let folder = try resolve(
      contents, in: folderName, name: request.zoneName, zone: wanted ?? ZoneID(rawValue: ""),
      proof: request.expected == nil ? nil : request.proof, for: request.device.id)
    guard request.expected == nil else { return folder }
    // Spaces may just have become one: a newcomer takes the name that all will use.
    let joined = Spaces(contents.spaces, try self.contents(of: folderName)?.joins ?? [])
    guard let name = joined.zone(of: folder.zone).map({ joined.name(of: $0) }) else {
      return folder
    }
    folderNames[name] = folderName
    return ZoneFolder(
      root: root, folderName: folderName, zone: name, spaces: folder.spaces,
      incarnation: folder.incarnation)
  }

  private func requireEnvironment(
    _ request: OpenRequest, _ spaces: [SpaceMarker], _ folder: ZoneFolder
  ) throws(TransportError) {
    guard let marker = spaces.first(where: { $0.zone == folder.zone }),
      marker.environment != request.environment.rawValue
    else { return }
    throw TransportError(
      TransportError.Code(rawValue: "environmentMismatch"),
      "Could not open the zone '\(request.zoneName)' in the folder '\(root)', it belongs to the "
        + "environment '\(marker.environment)' and not to '\(request.environment.rawValue)'.",
      advice: "Open it with its own environment, or choose another zone or folder.",
      remedy: .ask)
  }

  private func makeZone(
    _ request: OpenRequest, in folderName: String
  ) throws(TransportError) -> ZoneID {
    let path = ZoneFolder.relativePath(folderName)
    try files.makeFolders(path, below: root)
    let bytes = [random(), random()].flatMap { number in
      (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    let marker = SpaceMarker(
      zone: ZoneID(bytes: bytes), zoneName: request.zoneName,
      environment: request.environment.rawValue, maker: request.device.bounded,
      madeAt: clock.milliseconds)
    try files.create(Array(FolderReadme.text.utf8), at: root + "/" + FolderReadme.name)
    try publish(marker, in: folderName, by: request.device.id)
    return marker.zone
  }

  /// Removes what this device had begun to write when it was stopped, under any epoch of it.
  private func removeLeftovers(
    of device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) {
    let own = try writers(in: folder).filter { $0.device == device.device }
    let folders =
      [root, folder.path, root + "/" + folder.positionsPath] + own.map(folder.writerPath)
    for path in folders {
      for entry in try files.list(path) ?? []
      where entry.kind == .file && FolderNames.isTemporary(entry.name, of: device) {
        try files.remove(path + "/" + entry.name)
      }
    }
  }
}
