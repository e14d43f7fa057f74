import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Keeps the device's own part of the folder small: removes what was replaced, gathers small
  /// groups, takes over the files of devices that are gone.
  ///
  /// It runs after a cycle has published what there was, and is never the cycle's failure: what
  /// went wrong is said, and tried again after the next cycle.
  func tidy(
    _ device: DeviceInfo, _ positions: Positions, _ reports: [PositionFile],
    in folder: ZoneFolder
  ) {
    let key = OwnKey(zone: folder.zone, device: device.id)
    guard own[key] != nil, staged[key] == nil, positions.offer.isEmpty else { return }
    do throws(TransportError) {
      let names = try segmentNames(of: device.id, in: folder)
      let now = clock.milliseconds
      let last = tidied[key]
      let isRetiringDue = last.map { abs(now - $0.retired) >= Self.retiringInterval } ?? true
      guard last?.names != names || abs(now - (last?.time ?? 0)) >= Self.tidyingInterval else {
        return
      }
      untidiness[key] = nil
      let neighbours = try neighbours(of: device.id, reports, in: folder)
      try gather(
        names, of: device, neighbours, positions, in: folder, isRetiringDue: isRetiringDue)
      try removeReplaced(of: device.id, after: neighbours.fence, in: folder)
      if isRetiringDue { try removeRetired(by: device.id, neighbours, in: folder) }
      tidied[key] = Tidied(
        names: try segmentNames(of: device.id, in: folder), time: now,
        retired: isRetiringDue ? now : last?.retired ?? now)
    } catch {
      untidiness[key] = "The folder could not be tidied. \(error.message)"
    }
  }

  /// What was found and done when the folder was tidied last.
  struct Tidied {
    /// The device's own files then.
    let names: [SegmentName]
    let time: Int64
    /// When devices that are gone were looked for.
    let retired: Int64
  }

  /// How often an unchanged folder is looked at, in milliseconds.
  private static let tidyingInterval: Int64 = 60_000
  /// How often devices that are gone are looked for, in milliseconds.
  private static let retiringInterval: Int64 = 3_600_000

  private func gather(
    _ names: [SegmentName], of device: DeviceInfo, _ neighbours: Neighbours,
    _ positions: Positions, in folder: ZoneFolder, isRetiringDue: Bool
  ) throws(TransportError) {
    guard let chain = try ownChain(names, of: device.id, in: folder) else { return }
    if isRetiringDue,
      let gone = try writerToRetire(device.id, neighbours, positions, in: folder)
    {
      return try retire(gone, device, chain, neighbours, positions, in: folder)
    }
    if let compaction = Compaction(of: chain, at: clock.milliseconds, limits: limits) {
      try compact(
        compaction, device, positions, after: neighbours.fence, in: folder,
        isWhole: chain == compaction.groups)
    }
  }

  /// The groups of the device's own chain; nil where it is not whole or not explained, which the
  /// next publication finds out and mends.
  private func ownChain(
    _ names: [SegmentName], of device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [Compaction.Group]? {
    let known = own[OwnKey(zone: folder.zone, device: device)] ?? OwnFolder()
    let present = Set(names.map(\.text))
    guard known.published.isSubset(of: present), present.isSubset(of: known.mine) else {
      return nil
    }
    let groups = SegmentGroup.groups(of: names).filter(\.isComplete)
    let chain = WriterChain.chain(groups)
    guard let end = groups.map(\.sequence).max(), chain.last?.sequence == end else { return nil }
    var found: [Compaction.Group] = []
    for group in chain {
      let bytes = try size(of: group, by: device, in: folder)
      do throws(GroupFault) {
        let header = try header(of: group, by: device, in: folder)
        found.append(.init(group: group, bytes: bytes, writtenAt: header.writtenAt))
      } catch {
        return nil
      }
    }
    return found
  }

  /// Removes the device's own groups that another one of its groups stands for.
  ///
  /// Where all who are known have read them nobody needs them. Else they stay for a while, since a
  /// carrier may remove them elsewhere before it brings what replaces them.
  private func removeReplaced(
    of device: DeviceID, after fence: Int64, in folder: ZoneFolder
  ) throws(TransportError) {
    let groups = SegmentGroup.groups(of: try segmentNames(of: device, in: folder))
    let chain = WriterChain.chain(groups)
    guard let last = chain.last?.sequence else { return }
    let kept = Set(chain)
    // What arrived since the zone was opened may be of a copy of this store.
    let mine = own[OwnKey(zone: folder.zone, device: device)]?.mine ?? []
    for group in groups
    where !kept.contains(group) && group.sequence <= last
      && group.files.allSatisfy({ mine.contains($0.text) })
    {
      guard
        let replacing = chain.first(where: {
          $0.base <= group.base && $0.sequence >= group.sequence
        }) ?? (group.isComplete ? nil : chain.last)
      else { continue }
      let age = clock.milliseconds - (knownHeader(of: replacing, by: device, in: folder) ?? .max)
      if group.sequence <= fence || age >= limits.replacedStays {
        try remove(group, of: device, in: folder)
      }
    }
  }

  /// When a group was written, as its header said; nil where it was not read.
  private func knownHeader(
    of group: SegmentGroup, by device: DeviceID, in folder: ZoneFolder
  ) -> Int64? {
    knownHeader(folder.writerPath(device) + "/" + group.files[0].text)?.writtenAt
  }

  /// Removes a group's files; they are no longer expected in the device's own folder.
  func remove(
    _ group: SegmentGroup, of writer: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) {
    for file in group.files {
      own[OwnKey(zone: folder.zone, device: writer)]?.published.remove(file.text)
      try files.remove(folder.writerPath(writer) + "/" + file.text)
      forgetHeader(folder.writerPath(writer) + "/" + file.text)
    }
  }
}
