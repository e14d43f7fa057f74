import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Makes the header of a part of an offer: it stands for what the device had published of the
  /// range, and its last part covers what the device had read of the others.
  ///
  /// What the offer holds is the store's own version of everything, so the groups of the same
  /// range are not needed any more. What they covered and the conflicts that they list are kept.
  func complete(
    _ header: inout Segment.Header, of group: GroupHeader, _ positions: Positions,
    _ names: [SegmentName], in folder: ZoneFolder
  ) throws(TransportError) {
    let device = header.writer.id
    let end = header.base
    let fence = try neighbours(
      of: device, positionFiles(in: root + "/" + folder.positionsPath), in: folder
    ).fence
    if group.endsOffer { header.covers = positions.offer }
    if group.base < end {
      header.base = group.base
      header.generation = 1 + (names.map(\.generation).max() ?? 0)
    }
    for known in SegmentGroup.groups(of: names) where known.isComplete && known.sequence <= end {
      let isReplaced = known.sequence > header.base && known.sequence <= header.sequence
      guard isReplaced || known.isCover && group.endsOffer else { continue }
      do throws(GroupFault) {
        for segment in try segments(known, of: device, in: folder) {
          if group.endsOffer { header.covers.formUnion(segment.header.covers) }
          if isReplaced, known.sequence > fence {
            // What lies ahead would keep every reader from the whole offer.
            header.conflicts += segment.header.conflicts.filter { isPresent($0.loser) }
          }
          if isReplaced, known.sequence == header.sequence {
            header.chain = segment.header.link(of: known)
          }
        }
      } catch {
        try requireLasting(error)
        throw restored(device, folder, "finds its file \(error.file.text) damaged")
      }
    }
  }
}
