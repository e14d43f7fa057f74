import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// What goes into a gathered group besides the device's own chain.
  struct Takeover {
    let writer: DeviceID
    let cover: Cover
    let groups: [SegmentGroup]
  }

  /// How much larger others' files may be than the device's own for them to be read for what they
  /// beat.
  private static let rivalRatio = 8

  /// Publishes one group in place of several: the facts that they still say.
  ///
  /// - Parameters:
  ///   - compaction: The groups.
  ///   - device: The device that owns them.
  ///   - positions: How far it has read the others, durably.
  ///   - fence: How far all others have read the device: conflicts after it are listed again.
  ///   - folder: The zone.
  ///   - isWhole: Whether these are all groups of the device: then what others' facts beat is
  ///     dropped, too.
  ///   - takeover: The files of a device that is gone.
  /// - Throws: Errors of the folder. The groups stay as they are then.
  func compact(
    _ compaction: Compaction, _ device: DeviceInfo, _ positions: Positions, after fence: Int64,
    in folder: ZoneFolder, isWhole: Bool, takingOver takeover: Takeover? = nil
  ) throws(TransportError) {
    guard let first = compaction.groups.first?.group, let last = compaction.groups.last?.group
    else { return }
    var sources = compaction.groups.map { (writer: device.id, group: $0.group) }
    var bytes = compaction.bytes
    if let takeover {
      for group in takeover.groups {
        sources.append((takeover.writer, group))
        bytes += try size(of: group, by: takeover.writer, in: folder)
      }
    }
    let rivals =
      isWhole ? try rivals(of: device.id, positions, in: folder, limit: bytes) : []
    var header = try gatheredHeader(sources, device, positions, in: folder)
    (header.base, header.sequence) = (first.base, last.sequence)
    if let takeover { header.covers.formUnion([takeover.writer: takeover.cover]) }
    header.parts = min(SegmentName.partLimit, 1 + bytes / limits.partBytes)
    for part in 1...header.parts {
      header.part = part
      let gathered = try gather(
        part, of: header.parts, sources, rivals, own: device.id, after: fence, in: folder)
      header.conflicts = gathered.conflicts
      let file = EncodedPart(Segment(header: header, deltas: gathered.deltas))
      try publish([file], of: device.id, in: folder)
    }
    let isTakeover = takeover != nil
    note(
      TransportWork(
        .compaction, count: sources.count,
        detail: isTakeover
          ? "groups gathered, those of a device that is gone among them" : "groups gathered"))
  }

  /// The header of a group that stands for others, all but its range and parts.
  private func gatheredHeader(
    _ sources: [(writer: DeviceID, group: SegmentGroup)], _ device: DeviceInfo,
    _ positions: Positions, in folder: ZoneFolder
  ) throws(TransportError) -> Segment.Header {
    var header = Segment.Header(
      zone: folder.zone, incarnation: folder.incarnation, writer: device.bounded, base: 0,
      sequence: 0, generation: 0, transactionToken: 0, groupToken: random(), part: 1, parts: 1,
      previous: [], chain: [], vector: positions.vector(without: device.id), incomplete: 0,
      isPartOfUpload: false, writtenAt: clock.milliseconds)
    for (writer, group) in sources {
      let found = try knownToBeWhole(group, of: writer, in: folder)
      header.covers.formUnion(found.covers.filter { $0.key != device.id })
      guard writer == device.id else { continue }
      header.generation = max(header.generation, group.generation + 1)
      header.incomplete += found.incomplete
      header.isPartOfUpload = found.isPartOfUpload
      header.transactionToken = found.transactionToken
      header.chain = found.link(of: group)
      if header.previous.isEmpty { header.previous = found.previous }
    }
    return header
  }

  private func knownToBeWhole(
    _ group: SegmentGroup, of writer: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> Segment.Header {
    do throws(GroupFault) {
      return try header(of: group, by: writer, in: folder)
    } catch {
      throw unusable(error)
    }
  }

  private func unusable(_ fault: GroupFault) -> TransportError {
    TransportError(
      .damaged, "Could not use the file \(fault.file.text), \(Self.reason(fault.fault)).",
      remedy: .retry(afterMilliseconds: nil))
  }

  /// The facts of one part of the records, merged, and the conflicts to list again.
  private func gather(
    _ part: Int, of parts: Int, _ sources: [(writer: DeviceID, group: SegmentGroup)],
    _ rivals: [(writer: DeviceID, group: SegmentGroup)], own device: DeviceID,
    after fence: Int64, in folder: ZoneFolder
  ) throws(TransportError) -> (deltas: [RecordDelta], conflicts: [ConflictEntry]) {
    var facts = FactTable()
    var conflicts: [ConflictEntry] = []
    for (writer, group) in sources {
      for segment in try whole(group, of: writer, in: folder) {
        for delta in segment.deltas where delta.key.part(of: parts) == part - 1 {
          facts.merge(delta)
        }
        if writer != device || group.sequence > fence {
          conflicts += segment.header.conflicts.filter { $0.key.part(of: parts) == part - 1 }
        }
      }
    }
    for (writer, group) in rivals {
      do throws(GroupFault) {
        for segment in try segments(group, of: writer, in: folder) {
          for delta in segment.deltas { facts.drop(beatenBy: delta) }
        }
      } catch {
        // What cannot be read beats nothing.
        continue
      }
    }
    return (facts.deltas, conflicts)
  }

  private func whole(
    _ group: SegmentGroup, of writer: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) -> [Segment] {
    do throws(GroupFault) {
      return try segments(group, of: writer, in: folder)
    } catch {
      throw unusable(error)
    }
  }

  /// The groups of others that this device has read and that may beat facts of its own; none where
  /// reading them all would cost more than it can win.
  private func rivals(
    of device: DeviceID, _ positions: Positions, in folder: ZoneFolder, limit bytes: Int
  ) throws(TransportError) -> [(writer: DeviceID, group: SegmentGroup)] {
    var rivals: [(writer: DeviceID, group: SegmentGroup)] = []
    var size = 0
    for writer in try writers(in: folder) where writer != device {
      // What cannot be listed beats nothing.
      let groups = SegmentGroup.groups(of: readableNames(of: writer, in: folder) ?? [])
      for group in WriterChain.chain(groups)
      where group.sequence <= positions[writer].sequence {
        rivals.append((writer, group))
        size += try self.size(of: group, by: writer, in: folder)
      }
      guard size <= Self.rivalRatio * bytes else { return [] }
    }
    return rivals
  }
}
