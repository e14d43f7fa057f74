import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Writes how far a device has read, and tells how far the others have read it.
  func exchangeReceipts(_ receipt: Receipt) throws(TransportError) -> [DeviceReport] {
    let folder = try locate(receipt.zone, proof: receipt.proof, for: receipt.device.id)
    let device = receipt.device.bounded
    let positions = try Positions(receipt.cursor, in: folder.incarnation)
    let vector = positions.vector(without: device.id)
    let path = root + "/" + folder.positionsPath
    let files = try positionFiles(in: path)
    let own = files.first { $0.device.id == device.id }
    // A folder in which nothing happens stays as it is.
    if own?.vector != vector || own?.device.name != device.name || own?.zone != receipt.zone {
      let file = PositionFile(
        zone: receipt.zone, device: device, writtenAt: clock.milliseconds, vector: vector)
      try self.files.makeFolders(folder.positionsPath, below: root)
      try self.files.publish(
        file.encode(), as: FolderNames.positions(of: device.id), in: path,
        temporary: FolderNames.temporary(of: device.id, token: random()))
    }
    tidy(device, positions, in: folder)
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

  /// The position files that are there and whole.
  func positionFiles(in path: String) throws(TransportError) -> [PositionFile] {
    var found: [PositionFile] = []
    for entry in try files.list(path) ?? [] where entry.kind == .file {
      guard let owner = FolderNames.positionsOwner(entry.name) else { continue }
      switch files.read(path + "/" + entry.name, limit: PositionFile.byteLimit) {
      case .bytes(let bytes):
        // One that is being copied or was damaged says nothing; its device writes it again.
        if let file = PositionFile(verifying: bytes), file.device.id == owner {
          found.append(file)
        }
      case .missing, .notRegular, .tooLarge, .failed: continue
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
