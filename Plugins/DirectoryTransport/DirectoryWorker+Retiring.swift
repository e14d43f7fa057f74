import StrandlineModels
import StrandlineTransport

// A device that nobody hears of any more is retired: another one takes its facts over, says so,
// and removes its files. Should it return, it finds its files gone and goes on under a new
// identity; nothing of it is lost.

extension DirectoryWorker {
  /// A writer that is gone, whose files this device has read to the end, and whose turn it is.
  func writerToRetire(
    _ device: DeviceID, _ neighbours: Neighbours, _ positions: Positions, in folder: ZoneFolder
  ) throws(TransportError) -> Takeover? {
    let silence = neighbours.silence
    let rank = silence.keys.filter { $0 < device && !neighbours.isGone($0) }.count
    for writer in silence.keys.sorted() {
      let wait = limits.retiresAfter + Int64(rank) * (limits.retiresAfter / 10)
      guard let silent = silence[writer], silent >= wait, let cover = positions[writer].cover
      else { continue }
      let groups = SegmentGroup.groups(of: try segmentNames(of: writer, in: folder))
      let chain = WriterChain.chain(groups)
      // Only what was read as one chain to its end is known whole.
      guard let end = chain.last?.sequence, end == cover.sequence, groups.allSatisfy(\.isComplete)
      else { continue }
      return Takeover(writer: writer, cover: cover, groups: chain)
    }
    return nil
  }

  /// Takes the facts of a writer that is gone into the device's own files.
  func retire(
    _ takeover: Takeover, _ device: DeviceInfo, _ chain: [Compaction.Group],
    _ neighbours: Neighbours, _ positions: Positions, in folder: ZoneFolder
  ) throws(TransportError) {
    // Nothing to take over into before the device has published something itself.
    guard !chain.isEmpty else { return }
    let covered = try ownCovers(of: device.id, in: folder)[takeover.writer]?.sequence ?? 0
    guard covered < takeover.cover.sequence else { return }
    try compact(
      Compaction(whole: chain), device, positions, after: neighbours.fence, in: folder,
      isWhole: true, takingOver: takeover)
  }

  /// Removes the files of writers that are gone and that this device's own files cover, and the
  /// position files of devices that are gone and never wrote.
  func removeRetired(
    by device: DeviceID, _ neighbours: Neighbours, in folder: ZoneFolder
  ) throws(TransportError) {
    let writers = Set(try writers(in: folder))
    for reader in neighbours.silence.keys.sorted()
    where neighbours.isGone(reader) && !writers.contains(reader) {
      try files.remove(root + "/" + folder.positionsPath + "/" + FolderNames.positions(of: reader))
    }
    for (writer, cover) in try ownCovers(of: device, in: folder)
    where neighbours.isGone(writer) {
      let groups = SegmentGroup.groups(of: try segmentNames(of: writer, in: folder))
      guard groups.allSatisfy({ $0.sequence <= cover.sequence }) else { continue }
      for group in groups { try remove(group, of: writer, in: folder) }
      try files.removeIfEmpty(folder.writerPath(writer))
      try files.remove(root + "/" + folder.positionsPath + "/" + FolderNames.positions(of: writer))
      vectors[folder.zone]?[writer] = nil
    }
  }

  /// What the device's own groups cover.
  private func ownCovers(
    of device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [DeviceID: Cover] {
    let groups = SegmentGroup.groups(of: try segmentNames(of: device, in: folder))
    return covers(of: groups, by: device, in: folder)
  }
}
