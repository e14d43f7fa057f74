import StrandlineModels
import StrandlineTransport

// A device that nobody hears of any more is retired: another one takes its facts over, says so,
// and removes its files. Should it return, it finds its files gone and goes on under a new
// identity; nothing of it is lost.

extension DirectoryWorker {
  /// A writer that is gone, whose files this device has read to the end, and whose turn it is.
  func writerToRetire(
    _ device: DeviceID, _ positions: Positions, in folder: ZoneFolder
  ) throws(TransportError) -> Takeover? {
    let silence = try silence(seenBy: device, in: folder)
    let rank = silence.keys.filter { $0 < device && !isGone($0, silence) }.count
    for writer in silence.keys.sorted() where writer != device {
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
    _ positions: Positions, in folder: ZoneFolder
  ) throws(TransportError) {
    // Nothing to take over into before the device has published something itself.
    guard !chain.isEmpty else { return }
    let covered = try covers(by: device.id, in: folder)[takeover.writer]?.sequence ?? 0
    guard covered < takeover.cover.sequence else { return }
    try compact(
      Compaction(whole: chain), device, positions, in: folder, isWhole: true,
      takingOver: takeover)
  }

  /// Removes the files of writers that are gone and that this device's own files cover, and the
  /// position files of devices that are gone and never wrote.
  func removeRetired(by device: DeviceID, in folder: ZoneFolder) throws(TransportError) {
    let silence = try silence(seenBy: device, in: folder)
    let writers = Set(try writers(in: folder))
    for reader in silence.keys.sorted()
    where isGone(reader, silence) && !writers.contains(reader) {
      try files.remove(root + "/" + folder.positionsPath + "/" + FolderNames.positions(of: reader))
    }
    for (writer, cover) in try covers(by: device, in: folder) where isGone(writer, silence) {
      let groups = SegmentGroup.groups(of: try segmentNames(of: writer, in: folder))
      guard groups.allSatisfy({ $0.sequence <= cover.sequence }) else { continue }
      for group in groups { try remove(group, of: writer, in: folder) }
      try files.removeIfEmpty(folder.writerPath(writer))
      try files.remove(root + "/" + folder.positionsPath + "/" + FolderNames.positions(of: writer))
      vectors[folder.zone]?[writer] = nil
    }
  }

  /// The covers of the device's own groups.
  private func covers(
    by device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [DeviceID: Cover] {
    var covers: [DeviceID: Cover] = [:]
    for group in SegmentGroup.groups(of: try segmentNames(of: device, in: folder))
    where group.isCover && group.isComplete {
      do throws(GroupFault) {
        let header = try header(of: group, by: device, in: folder)
        covers.formUnion(header.covers)
      } catch {
        // A damaged group covers nothing.
        continue
      }
    }
    return covers
  }

  /// Whether a device was silent for so long that nobody waits for it any more.
  func isGone(_ writer: DeviceID, _ silence: [DeviceID: Int64]) -> Bool {
    (silence[writer] ?? 0) >= limits.retiresAfter
  }

  /// How long each writer has been silent, in milliseconds, at least.
  ///
  /// Silence is measured against what other writers have written since, and against the own clock,
  /// whichever is less: a single clock that is far ahead must not retire everybody (C10).
  func silence(
    seenBy device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [DeviceID: Int64] {
    let heard = try lastHeard(in: folder)
    var silence: [DeviceID: Int64] = [:]
    for (writer, time) in heard where writer != device {
      // What cannot be read tells no time, and is no witness that others are silent.
      let newest =
        heard.filter { $0.key != device && $0.key != writer && $0.value < .max }.values.max()
        ?? time
      silence[writer] = min(newest, clock.milliseconds) - time
    }
    return silence
  }

  /// When each writer was heard of last, by its own clock.
  private func lastHeard(in folder: ZoneFolder) throws(TransportError) -> [DeviceID: Int64] {
    var heard: [DeviceID: Int64] = [:]
    for writer in try writers(in: folder) {
      guard let names = readableNames(of: writer, in: folder) else {
        heard[writer] = .max
        continue
      }
      guard let last = WriterChain.chain(SegmentGroup.groups(of: names)).last else { continue }
      do throws(GroupFault) {
        heard[writer] = try header(of: last, by: writer, in: folder).writtenAt
      } catch {
        // What is being carried is not silent.
        heard[writer] = .max
      }
    }
    for file in try positionFiles(in: root + "/" + folder.positionsPath) {
      heard[file.device.id] = max(heard[file.device.id] ?? 0, file.writtenAt)
    }
    return heard
  }
}
