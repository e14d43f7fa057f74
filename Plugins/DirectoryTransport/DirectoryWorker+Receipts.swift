import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Writes how far a device has read, and tells how far the others have read it.
  func exchangeReceipts(_ receipt: Receipt) throws(TransportError) -> [DeviceReport] {
    let folder = try locate(receipt.zone, proof: receipt.proof, for: receipt.device.id)
    let device = receipt.device.bounded
    let positions = try Positions(receipt.cursor, in: folder.incarnation)
    var vector = positions.vector(without: device.id)
    let path = root + "/" + folder.positionsPath
    let files = try positionFiles(in: path)
    let own = files.first { $0.device.id == device.id }
    try requireOwn(own, vector, of: device, in: folder)
    // A receipt that comes late takes nothing back.
    vector.merge(own?.vector ?? [:], uniquingKeysWith: max)
    // A folder in which nothing happens stays as it is.
    if own?.vector != vector || own?.device.name != device.name || own?.zone != receipt.zone {
      let file = PositionFile(
        zone: receipt.zone, device: device, writtenAt: clock.milliseconds, vector: vector)
      try self.files.makeFolders(folder.positionsPath, below: root)
      try self.files.publish(
        file.encode(), as: FolderNames.positions(of: device.id), in: path,
        temporary: FolderNames.temporary(of: device.id, token: random()))
      positionsWritten[OwnKey(zone: receipt.zone, device: device.id)] = file
    }
    tidy(device, positions, files, in: folder)
    var reports: [DeviceID: DeviceReport] = [:]
    for file in files where file.device.id != device.id && folder.spaces.contains(file.zone) {
      reports[file.device.id] = DeviceReport(
        device: file.device, position: file.vector[device.id] ?? 0, reportedAt: file.writtenAt)
    }
    for (id, seen) in vectors[receipt.zone] ?? [:] where id != device.id {
      let position = seen.vector[device.id] ?? 0
      if let report = reports[id], report.position >= position { continue }
      reports[id] = DeviceReport(
        device: seen.device, position: position, reportedAt: seen.writtenAt)
    }
    return reports.values.sorted { $0.device.id < $1.device.id }
  }

  /// Stops where a device's position file shows that another store writes it, too: a copy of this
  /// one, or this one before it was put back.
  private func requireOwn(
    _ file: PositionFile?, _ vector: [DeviceID: Int64], of device: DeviceInfo,
    in folder: ZoneFolder
  ) throws(TransportError) {
    guard let file, folder.spaces.contains(file.zone) else { return }
    let written = positionsWritten[OwnKey(zone: folder.zone, device: device.id)]
    let known = vector.merging(written?.vector ?? [:], uniquingKeysWith: max)
    if file.vector.contains(where: { $0.value > known[$0.key] ?? 0 }) {
      throw restored(device.id, folder, "has read less than its file says")
    }
    // A person may rename a device; but this process has written the new name already.
    if written?.device.name == device.name, file.device.name != device.name {
      throw restored(device.id, folder, "finds its file under the name of \(file.device.shownName)")
    }
  }

  /// The position files that are there and whole.
  func positionFiles(in path: String) throws(TransportError) -> [PositionFile] {
    var found: [PositionFile] = []
    var strangers = 0
    defer { copies.note(strangers, in: path) }
    for entry in try files.list(path) ?? [] where entry.kind == .file {
      guard let owner = FolderNames.positionsOwner(entry.name) else {
        if StrangerName(entry.name) == .copy { strangers += 1 }
        continue
      }
      switch files.read(path + "/" + entry.name, limit: PositionFile.byteLimit) {
      case .bytes(let bytes):
        // One that is being copied or was damaged says nothing; its device writes it again.
        if let file = PositionFile(verifying: bytes), file.device.id == owner {
          found.append(file)
        }
      case .missing, .notRegular, .tooLarge, .notDownloaded, .failed: continue
      }
    }
    return found
  }
}

extension PositionFile {
  fileprivate init?(verifying bytes: [UInt8]) {
    do {
      try self.init(decoding: bytes)
    } catch {
      return nil
    }
  }
}
