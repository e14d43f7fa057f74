import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

extension DirectoryWorker {
  /// Takes one page, and publishes the group with its last.
  func send(_ page: SendPage) throws(TransportError) -> SendAnswer {
    let folder = try locate(page.zone, proof: page.proof, for: page.device.id)
    let key = OwnKey(zone: page.zone, device: page.device.id)
    guard page.deltas.count <= limits.transport.pageRecords else {
      throw TransportError(
        .tooLarge,
        "Could not take a page of \(page.deltas.count) records, it may have at most "
          + "\(limits.transport.pageRecords).", remedy: .split)
    }
    guard page.group.sequence > 0 else {
      throw TransportError(
        .invalidRequest, "Could not take a group, it ends at sequence \(page.group.sequence).",
        remedy: .stop)
    }
    try requirePresent(page)
    let refused = page.deltas.compactMap(refusal)
    guard refused.isEmpty else {
      staged[key] = nil
      return SendAnswer(refused: refused)
    }
    let group = staged[key].flatMap { $0.header.token == page.group.token ? $0 : nil }
    if group == nil, page.page > 0 {
      // The answer to the last page may have been lost, and with it what was staged here.
      guard let accepted = try acceptedBefore(page, in: folder) else {
        throw TransportError(
          .invalidRequest, "Could not take page \(page.page) of a group, page 0 comes first.",
          advice: "Send the group again from its first page.",
          remedy: .retry(afterMilliseconds: nil))
      }
      return accepted
    }
    var taken = group ?? StagedGroup(header: page.group)
    try taken.add(page)
    staged[key] = taken
    guard page.isLast else { return SendAnswer() }
    try taken.requireCount()
    if let accepted = try acceptedBefore(page, in: folder) {
      staged[key] = nil
      return accepted
    }
    let answer = try publish(taken, last: page, in: folder)
    staged[key] = nil
    return answer
  }

  /// Says why a record cannot be published, if it cannot.
  private func refusal(_ delta: RecordDelta) -> Refusal? {
    let size = delta.versions.reduce(delta.key.id.bytes.count) {
      $0 + $1.key.utf8.count + $1.value.value.byteCount
    }
    if size > limits.transport.recordBytes {
      return Refusal(
        key: delta.key, code: "tooLarge",
        message: "Could not send the record, it is larger than "
          + "\(limits.transport.recordBytes) bytes.")
    }
    guard let problem = WireLimits.standard.problem(with: delta) else { return nil }
    return Refusal(
      key: delta.key, code: "notCarried", message: "Could not send the record, \(problem).")
  }

  /// Recognises a group that was published before its answer was lost.
  ///
  /// A part of an offer ends where other groups end too, so it is known by its own token alone.
  private func acceptedBefore(
    _ page: SendPage, in folder: ZoneFolder
  ) throws(TransportError) -> SendAnswer? {
    let names = try segmentNames(of: page.device.id, in: folder)
    let candidates = names.filter { $0.sequence == page.group.sequence }
    guard let tail = try ownTail(of: page.device.id, in: folder, names: candidates),
      tail.header.transactionToken == page.group.transactionToken,
      !page.group.isOffer || tail.header.groupToken == page.group.token
    else { return nil }
    let files = Set(tail.group.files.map(\.text))
    own[OwnKey(zone: page.zone, device: page.device.id)]?.mine.formUnion(files)
    own[OwnKey(zone: page.zone, device: page.device.id)]?.published.formUnion(files)
    return acceptance(page.group.sequence, in: folder)
  }

  private func acceptance(_ sequence: Int64, in folder: ZoneFolder) -> SendAnswer {
    SendAnswer(
      acceptance: Acceptance(sequence: sequence, position: sequence, proof: folder.proof))
  }

  private func publish(
    _ group: StagedGroup, last page: SendPage, in folder: ZoneFolder
  ) throws(TransportError) -> SendAnswer {
    let device = page.device
    let positions = try Positions(page.cursor, in: folder.incarnation)
    let names = try segmentNames(of: device.id, in: folder)
    let tail = try ownTail(of: device.id, in: folder, names: names)
    let end = tail?.header.sequence ?? 0
    deviceNames[device.id] = device.shownName
    do throws(TransportError) {
      try requireExplained(names, end: end, page: page, in: folder)
    } catch {
      noteAcknowledged(page.group.base, to: device.id, in: folder)
      throw error
    }
    guard positions[device.id].sequence <= end else {
      throw restored(
        device.id, folder, "does not find its change \(positions[device.id].sequence) there")
    }
    try removeUncounted(names, after: end, of: device.id, in: folder)

    var header = Segment.Header(
      zone: page.zone, incarnation: folder.incarnation, writer: device.bounded,
      base: end, sequence: group.header.sequence, generation: 0,
      transactionToken: group.header.transactionToken, groupToken: group.header.token, part: 1,
      parts: 1, previous: tail.map { $0.header.link(of: $0.group) } ?? [], chain: [],
      vector: positions.vector(without: device.id), incomplete: group.header.incomplete,
      isPartOfUpload: group.header.isPartOfUpload, writtenAt: clock.milliseconds,
      conflicts: group.conflicts)
    if group.header.isOffer {
      try complete(&header, of: group.header, positions, names, in: folder)
    }
    try publish(try encode(group.deltas, header: header), of: device.id, in: folder)
    return acceptance(group.header.sequence, in: folder)
  }

  /// Puts files into the device's own folder, and knows them for its own from before they stand
  /// there.
  func publish(
    _ files: [EncodedPart], of device: DeviceID, in folder: ZoneFolder
  ) throws(TransportError) {
    let key = OwnKey(zone: folder.zone, device: device)
    if own[key] == nil {
      own[key] = OwnFolder(mine: Set(try segmentNames(of: device, in: folder).map(\.text)))
    }
    own[key]?.mine.formUnion(files.map(\.name.text))
    try self.files.makeFolders("\(folder.writersPath)/\(device)", below: root)
    for file in files {
      try self.files.publish(
        file.bytes, as: file.name.text, in: folder.writerPath(device),
        temporary: FolderNames.temporary(of: device, token: random()))
      keep(
        file.header, greatest: file.greatestStamp,
        of: folder.writerPath(device) + "/" + file.name.text)
      own[key]?.published.insert(file.name.text)
    }
  }

  /// One file of a group as it will be published.
  struct EncodedPart {
    let name: SegmentName
    let header: Segment.Header
    let bytes: [UInt8]
    let greatestStamp: Stamp

    init(_ segment: Segment) {
      header = segment.header
      greatestStamp = segment.greatestStamp
      bytes = segment.encode()
      name = SegmentName(
        base: header.base, sequence: header.sequence, generation: header.generation,
        isCover: !header.covers.isEmpty,
        tag: header.parts == 1 ? nil : Self.tag(of: header.groupToken), part: header.part,
        parts: header.parts, hash: Hexadecimal.text(SealedFile.hash(of: bytes)))
    }

    static func tag(of token: UInt64) -> String {
      Hexadecimal.text((0..<4).map { UInt8(truncatingIfNeeded: token >> (24 - 8 * $0)) })
    }
  }

  private func encode(
    _ deltas: [RecordDelta], header: Segment.Header
  ) throws(TransportError) -> [EncodedPart] {
    let parts = split(deltas)
    guard parts.count <= SegmentName.partLimit else {
      throw TransportError(
        .tooLarge, "Could not publish a group, it would have \(parts.count) files.",
        advice: "Send it in several groups.", remedy: .split)
    }
    return parts.enumerated().map { index, deltas in
      var header = header
      (header.part, header.parts) = (index + 1, parts.count)
      if index > 0 { header.conflicts = [] }
      return EncodedPart(Segment(header: header, deltas: deltas))
    }
  }

  private func split(_ deltas: [RecordDelta]) -> [[RecordDelta]] {
    var parts: [[RecordDelta]] = [[]]
    var size = 0
    for delta in deltas {
      let added = delta.versions.values.reduce(64) { $0 + 16 + $1.value.byteCount }
      if size + added > limits.partBytes, size > 0 {
        parts.append([])
        size = 0
      }
      parts[parts.count - 1].append(delta)
      size += added
    }
    return parts
  }
}
