import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Compares a device's own folder with what this store has published there.
  ///
  /// A file that this store did not write means that the store was restored or cloned: its
  /// sequences would then mean two things to the others. A missing one means that the folder was
  /// put back, or that somebody tidied it. In both cases nothing is published under this identity.
  func requireExplained(
    _ names: [SegmentName], end: Int64, page: SendPage, in folder: ZoneFolder
  ) throws(TransportError) {
    let whole = SegmentGroup.groups(of: names).filter(\.isComplete)
    let files = Set(whole.flatMap { $0.files.map(\.text) })
    let device = page.device.id
    if let known = own[OwnKey(zone: page.zone, device: page.device.id)] {
      if let name = files.subtracting(known.mine).min() {
        throw restored(device, folder, "did not write the file \(name) there")
      }
      if let name = known.published.subtracting(names.map(\.text)).min() {
        throw restored(device, folder, "does not find its file \(name) there")
      }
    } else if end > page.group.base, !page.group.isOffer {
      // Nothing was opened in this process: what goes beyond the acknowledgement is unexplained.
      throw restored(device, folder, "did not write the change \(end) there")
    }
    if end >= page.group.sequence, !page.group.isOffer {
      throw restored(device, folder, "did not write the change \(end) there")
    }
    // What was acknowledged is not sent again, so its loss cannot be mended under this identity.
    if let lost = whole.first(where: { $0.sequence > end && $0.sequence <= page.group.base }) {
      throw restored(device, folder, "finds its file \(lost.files[0].text) damaged")
    }
    if page.group.base > end {
      throw restored(device, folder, "does not find its change \(page.group.base) there")
    }
  }

  /// Remembers what was acknowledged to an identity that the store gives up: under its next one it
  /// still holds that.
  func noteAcknowledged(_ sequence: Int64, to device: DeviceID, in folder: ZoneFolder) {
    let key = OwnKey(zone: folder.zone, device: device)
    acknowledged[key] = max(acknowledged[key] ?? 0, sequence)
  }

  /// The error that makes the store go on under a new identity.
  func restored(_ device: DeviceID, _ folder: ZoneFolder, _ finding: String) -> TransportError {
    TransportError(
      .deviceRestored,
      "Could not go on as \(deviceName(device)) in the folder '\(root)', this store "
        + "\(finding).",
      advice: "Go on under a new identity after reading what the folder holds.", remedy: .ask,
      context: ["folder": folder.writerPath(device)])
  }

  /// Removes own files that count for nobody: parts of a group that was never whole, and what lies
  /// damaged beyond the end.
  func removeUncounted(
    _ names: [SegmentName], after end: Int64, of device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) {
    let groups = SegmentGroup.groups(of: names)
    let counted = groups.filter { $0.isComplete && $0.sequence <= end }
    let kept = Set(counted.flatMap(\.files))
    for name in names where !kept.contains(name) {
      try files.remove(folder.writerPath(device) + "/" + name.text)
    }
  }

  /// Where the groups in the device's own folder end, as far as they can be read.
  ///
  /// Only their beginnings are read, once in this process. A damaged one may tell anything; a store
  /// that takes it for somebody else's writes everything again, which is what the damage asks for.
  func held(
    _ names: [SegmentName], of device: DeviceID, in folder: ZoneFolder
  ) -> [AcceptedGroup] {
    SegmentGroup.groups(of: names).filter(\.isComplete).compactMap { group in
      let path = folder.writerPath(device) + "/" + group.files[0].text
      if let known = ends[path] { return known }
      guard case .bytes(let bytes) = files.readStart(path, count: 4096),
        let end = Segment.Header.end(ofStart: bytes), end.sequence == group.sequence
      else { return nil }
      ends[path] = end
      return end
    }
  }
}
