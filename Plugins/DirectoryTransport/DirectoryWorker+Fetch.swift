import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// How often a folder whose files vanish meanwhile is listed in one fetch.
  private static let listingLimit = 16

  /// Fetches what the others have published after a cursor and can be applied.
  ///
  /// A file may vanish between the listing and the reading, since carriers and writers replace
  /// files at any time; then everything is listed again.
  func fetch(_ request: FetchRequest) throws(TransportError) -> FetchPage {
    let folder = try locate(request.zone, proof: request.proof, for: request.device.id)
    defer { held = HeldSegments() }
    for attempt in 0..<Self.listingLimit {
      if let page = try page(for: request, in: folder, isFirst: attempt == 0) { return page }
    }
    throw TransportError(
      .unreachable,
      "Could not read the folder '\(root)', files vanish while it is read.",
      advice: "It is tried again by itself.", remedy: .retry(afterMilliseconds: nil))
  }

  /// One page from one listing; nil where a file of the listing was gone when it was read.
  ///
  /// A file that is still listed the second time and still not there is waited for.
  private func page(
    for request: FetchRequest, in folder: ZoneFolder, isFirst: Bool
  ) throws(TransportError) -> FetchPage? {
    var pass = FetchPass(
      reader: request.device.id, positions: try Positions(request.cursor, in: folder.incarnation),
      limit: request.limit)
    try list(in: folder, &pass)
    noteOwnEnd(request.device.id, in: folder, &pass)
    noteFormerEnds(request.device.id, in: folder, &pass)
    var cut = Cut(
      reader: request.device.id, groups: pass.groups, start: pass.positions,
      impatient: impatient(pass)
    ) { group, writer throws(GroupFault) in
      let found = try header(of: group, by: writer, in: folder, isHeld: true)
      try requirePresent(group, by: writer, in: folder)
      return found
    }
    if isFirst, cut.waits.values.contains(where: \.isGone) { return nil }
    (pass.waits, pass.missing) = (cut.waits, cut.missing)
    for (writer, problem) in pass.problems where writer != pass.reader {
      pass.waits[writer] = .folder(problem: problem)
    }
    while !pass.isFull, let step = cut.next(at: pass.positions) {
      guard apply(step, to: &pass, in: folder) else { return nil }
    }
    guard !pass.isFull else {
      return FetchPage(
        changes: pass.changes, conflicts: pass.conflicts, cursor: pass.positions.cursor,
        headReached: false, proof: folder.proof, uploading: uploading(pass, in: folder))
    }
    return try lastPage(pass, cut, in: folder)
  }

  private func lastPage(
    _ pass: FetchPass, _ cut: Cut, in folder: ZoneFolder
  ) throws(TransportError) -> FetchPage {
    var pass = pass
    let reports = try positionFiles(in: root + "/" + folder.positionsPath)
    for report in reports { deviceNames[report.device.id] = report.device.shownName }
    noteWaiting(cut.waiting, &pass)
    let isOfferWanted = try noteLacking(reports, in: folder, &pass)
    learnNames(pass, in: folder)
    let waiting = waitingFor(&pass, reports)
    return FetchPage(
      changes: pass.changes, conflicts: pass.conflicts, cursor: pass.positions.cursor,
      headReached: true, proof: folder.proof, uploading: uploading(pass, in: folder),
      waitingFor: waiting.sentences,
      notices: waiting.givenUp + notices(pass, cut) + copies.notices(below: folder.path),
      isOfferWanted: isOfferWanted)
  }

  /// Reads the groups of a step; false where a file of it is gone or is not what it was.
  private func apply(_ step: Cut.Step, to pass: inout FetchPass, in folder: ZoneFolder) -> Bool {
    for group in step.groups {
      do throws(GroupFault) {
        if let segments = held.take(group, of: step.writer) {
          pass.apply(segments, of: step.writer)
        } else {
          pass.apply(try segments(group, of: step.writer, in: folder), of: step.writer)
        }
      } catch {
        forgetHeader(folder.writerPath(step.writer) + "/" + error.file.text)
        return false
      }
    }
    pass.positions[step.writer] = step.after
    pass.positions.jump(step.covers, reader: pass.reader)
    for header in step.headers {
      pass.positions.endUploads(by: header)
      note(header, of: folder.zone)
    }
    return true
  }

  /// The header of a group whose files were all verified, in this call or before.
  ///
  /// - Parameters:
  ///   - group: The group.
  ///   - writer: Who wrote it.
  ///   - folder: The zone.
  ///   - isHeld: Whether its segments are kept until this fetch applies them.
  /// - Returns: The header of its first file.
  /// - Throws: Which file cannot be used.
  func header(
    of group: SegmentGroup, by writer: DeviceID, in folder: ZoneFolder, isHeld: Bool = false
  ) throws(GroupFault) -> Segment.Header {
    let paths = group.files.map { folder.writerPath(writer) + "/" + $0.text }
    let known = paths.compactMap(knownHeader)
    if known.count == paths.count, let first = known.first { return first }
    let segments = try segments(group, of: writer, in: folder)
    guard let first = segments.first else {
      throw GroupFault(file: group.files[0], fault: .incomplete)
    }
    if isHeld { held.hold(segments, group, of: writer) }
    return first.header
  }

  /// Remembers in the cursor how far the device's own folder goes, so that a loss is noticed.
  private func noteOwnEnd(
    _ device: DeviceID, in folder: ZoneFolder, _ pass: inout FetchPass
  ) {
    let names = (pass.groups[device] ?? []).flatMap(\.files)
    pass.ownProblem = pass.problems[device]
    do throws(TransportError) {
      guard let tail = try ownTail(of: device, in: folder, names: names) else { return }
      let end = tail.group.sequence
      if end > pass.positions[device].sequence { pass.positions[device].sequence = end }
      pass.positions.endUploads(by: tail.header)
    } catch {
      // The others' files can be read all the same; before it publishes, the device looks again.
      pass.ownProblem = error.message
    }
  }

  /// Remembers in the cursor what the store had published under identities that it gave up: it
  /// holds that, whether or not the folder still does.
  private func noteFormerEnds(
    _ device: DeviceID, in folder: ZoneFolder, _ pass: inout FetchPass
  ) {
    for (former, end) in acknowledged
    where former.zone == folder.zone && former.device.device == device.device
      && former.device != device && pass.positions[former.device].sequence < end
    {
      pass.positions[former.device].sequence = end
    }
  }

  func note(_ header: Segment.Header, of zone: ZoneID) {
    let new = SeenVector(
      device: header.writer, vector: header.vector, writtenAt: header.writtenAt)
    if let known = vectors[zone]?[header.writer.id], known.writtenAt > new.writtenAt { return }
    vectors[zone, default: [:]][header.writer.id] = new
  }

  /// The devices in the middle of a long upload; one that stopped in it long ago is not waited for.
  ///
  /// What this store had begun under an identity that it gave up goes out anew under its own.
  private func uploading(_ pass: FetchPass, in folder: ZoneFolder) -> [String] {
    pass.positions.entries.filter {
      $0.value.isUploading && own[OwnKey(zone: folder.zone, device: $0.key)] == nil
        && $0.key != pass.reader && !hasWaitedLong($0.value)
    }.map { deviceName($0.key) }.sorted()
  }

  /// Reads a file of each writer that is about to be named and whose name is not known.
  private func learnNames(_ pass: FetchPass, in folder: ZoneFolder) {
    let named = Set(pass.waits.keys).union(pass.missing.flatMap { [$0.writer, $0.reader] })
      .union(pass.positions.entries.filter(\.value.isUploading).keys)
    for writer in named where deviceNames[writer] == nil {
      for name in (pass.groups[writer] ?? []).flatMap(\.files) where deviceNames[writer] == nil {
        do throws(FileFault) {
          _ = try segment(name, of: writer, in: folder)
        } catch {
          // A file that cannot be read tells no name; the next one may.
          continue
        }
      }
    }
  }

  /// The name of a device, as far as its files have told it.
  func deviceName(_ device: DeviceID) -> String {
    deviceNames[device] ?? "device \(device)"
  }
}
