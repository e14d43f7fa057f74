import StrandlineModels
import StrandlineTransport

extension DirectoryWorker {
  /// Fetches what the others have published after a cursor and can be applied.
  func fetch(_ request: FetchRequest) throws(TransportError) -> FetchPage {
    let folder = try locate(request.zone, proof: request.proof, for: request.device.id)
    var pass = FetchPass(
      reader: request.device.id, positions: try Positions(request.cursor, in: folder.incarnation),
      limit: request.limit)
    try list(in: folder, &pass)
    try noteOwnEnd(request.device.id, in: folder, &pass)
    readAll(in: folder, &pass)
    if !pass.isFull, relist(in: folder, &pass) { readAll(in: folder, &pass) }
    let reports = pass.isFull ? [] : try positionFiles(in: root + "/" + folder.positionsPath)
    for report in reports { deviceNames[report.device.id] = report.device.shownName }
    learnNames(pass, in: folder)
    return FetchPage(
      changes: pass.changes, conflicts: pass.conflicts, cursor: pass.positions.cursor,
      headReached: !pass.isFull,
      proof: folder.proof, uploading: uploading(pass),
      waitingFor: pass.isFull ? [] : waitingFor(pass, reports),
      notices: pass.isFull ? [] : copies.notices(below: folder.path))
  }

  /// Reads what is there of all writers, until nothing goes on or the page is full.
  private func readAll(in folder: ZoneFolder, _ pass: inout FetchPass) {
    var progress = true
    while progress, !pass.isFull {
      progress = false
      pass.waits = pass.problems.mapValues { .folder(problem: $0) }
      pass.missing = []
      for writer in pass.groups.keys.sorted() where writer != pass.reader {
        guard pass.problems[writer] == nil else { continue }
        while !pass.isFull, advance(writer, in: folder, &pass) { progress = true }
      }
    }
  }

  /// Remembers in the cursor how far the device's own folder goes, so that a loss is noticed.
  private func noteOwnEnd(
    _ device: DeviceID, in folder: ZoneFolder, _ pass: inout FetchPass
  ) throws(TransportError) {
    let names = (pass.groups[device] ?? []).flatMap(\.files)
    let end = try ownTail(of: device, in: folder, names: names)?.group.sequence ?? 0
    if end > pass.positions[device].sequence { pass.positions[device].sequence = end }
  }

  /// Reads the next group of one writer, if it is there and everything that its writer had read
  /// has been read.
  private func advance(
    _ writer: DeviceID, in folder: ZoneFolder, _ pass: inout FetchPass
  ) -> Bool {
    let groups = pass.groups[writer] ?? []
    let position = pass.positions[writer]
    if WriterChain.isBroken(groups, at: position) {
      if readWhole(writer, groups, in: folder, &pass) { return true }
      if pass.waits[writer] == nil {
        pass.waits[writer] = WriterChain.gap(groups, after: position.sequence)
      }
      return false
    }
    let next = WriterChain.candidates(groups, after: position.sequence)
    guard !next.isEmpty else {
      pass.waits[writer] = WriterChain.gap(groups, after: position.sequence)
      return false
    }
    for group in next {
      do throws(GroupFault) {
        guard let segments = try readable(group, of: writer, in: folder, &pass) else {
          return false
        }
        let header = segments[0].header
        if group.generation == 0, header.previous != position.link {
          return readWhole(writer, groups, in: folder, &pass)
        }
        pass.apply(segments, of: writer)
        pass.positions[writer] = Positions.Position(
          sequence: group.sequence, link: header.chain.isEmpty ? group.link : header.chain,
          readWhole: [], isUploading: header.isPartOfUpload)
        note(header, of: folder.zone)
        return true
      } catch {
        pass.waits[writer] = .fault(error, after: position.sequence)
      }
    }
    return false
  }

  /// Reads a group unless its writer had read something that this pass has not.
  private func readable(
    _ group: SegmentGroup, of writer: DeviceID, in folder: ZoneFolder, _ pass: inout FetchPass
  ) throws(GroupFault) -> [Segment]? {
    let path = folder.writerPath(writer) + "/" + group.files[0].text
    // A segment that waits is not read again at each fetch to find out that it still waits.
    if let header = knownHeader(path), !pass.hasRead(header) { return nil }
    let segments = try self.segments(group, of: writer, in: folder)
    guard let header = segments.first?.header, pass.hasRead(header) else { return nil }
    return segments
  }

  /// Reads everything of a writer whose files do not make one chain with what was read before.
  ///
  /// That is so after a store was restored with its folder, or cloned: one sequence then means two
  /// things. Facts may be read twice without harm, so all of them are read once for every set of
  /// files.
  private func readWhole(
    _ writer: DeviceID, _ groups: [SegmentGroup], in folder: ZoneFolder,
    _ pass: inout FetchPass
  ) -> Bool {
    let whole = groups.filter(\.isComplete).sorted {
      ($0.sequence, $0.base) < ($1.sequence, $1.base)
    }
    guard WriterChain.digest(whole) != pass.positions[writer].readWhole else { return false }
    var found: [(group: SegmentGroup, segments: [Segment])] = []
    for group in whole {
      do throws(GroupFault) {
        guard let segments = try readable(group, of: writer, in: folder, &pass) else {
          return false
        }
        found.append((group, segments))
      } catch {
        pass.waits[writer] = .fault(error, after: pass.positions[writer].sequence)
      }
    }
    let digest = WriterChain.digest(found.map(\.group))
    var position = pass.positions[writer]
    guard digest != position.readWhole else { return false }
    var headers: [SegmentGroup: Segment.Header] = [:]
    for (group, segments) in found {
      pass.apply(segments, of: writer)
      note(segments[0].header, of: folder.zone)
      headers[group] = segments[0].header
    }
    if let last = found.last, last.group.sequence >= position.sequence {
      let header = last.segments[0].header
      position.sequence = last.group.sequence
      position.link = header.chain.isEmpty ? last.group.link : header.chain
      position.isUploading = header.isPartOfUpload
    }
    position.readWhole = []
    let isMended =
      WriterChain.isOneChain(headers, upTo: position.sequence)
      && !WriterChain.isBroken(groups, at: position)
    if !isMended { position.readWhole = digest }
    pass.positions[writer] = position
    return true
  }

  private func note(_ header: Segment.Header, of zone: ZoneID) {
    let new = SeenVector(
      device: header.writer, vector: header.vector, writtenAt: header.writtenAt)
    vectors[zone, default: [:]][header.writer.id] = new
  }

  private func uploading(_ pass: FetchPass) -> [String] {
    pass.positions.entries.filter { $0.value.isUploading && $0.key != pass.reader }
      .map { deviceName($0.key) }.sorted()
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
