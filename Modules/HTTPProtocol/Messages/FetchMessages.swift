import StrandlineModels
package import StrandlineTransport
package import StrandlineWireFormat

extension FetchRequest: Message {
  package static var subject: String { "request for changes" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var device: DeviceInfo?
    var zone: ZoneID?
    var proof: Proof?
    var cursor: Cursor?
    var limit: Int64?
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: device = try reader.device()
      case 1: zone = try reader.zone()
      case 2: proof = try reader.proof()
      case 3: cursor = try reader.cursor()
      case 4: limit = try reader.natural("limit")
      default: return false
      }
      return true
    }
    self.init(
      device: try reader.need(device, "device"), zone: try reader.need(zone, "zone"),
      proof: proof, cursor: cursor, limit: Int(clamping: try reader.need(limit, "limit")))
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(3 + (proof == nil ? 0 : 1) + (cursor == nil ? 0 : 1))
    writer.unsigned(0)
    writer.device(device)
    writer.unsigned(1)
    writer.text(zone.rawValue)
    if let proof {
      writer.unsigned(2)
      writer.proof(proof)
    }
    if let cursor {
      writer.unsigned(3)
      writer.blob(cursor.bytes)
    }
    writer.unsigned(4)
    writer.integer(Int64(limit))
  }
}

/// A page of changes, whose writers stand once each: runs of changes name them by number.
///
/// That a change was made in view of the reader's own log is not carried: a server lists
/// conflicts itself.
extension FetchPage: Message {
  package static var subject: String { "page of changes" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var cursor: Cursor?
    var proof: Proof?
    var deltas: [RecordDelta] = []
    var writers: [DeviceID] = []
    var runs: [(count: Int, writer: Int)] = []
    self.init(
      changes: [], cursor: Cursor(bytes: []), headReached: false,
      proof: Proof(incarnation: 0, sequence: 0, nonce: 0))
    var page = self
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: cursor = try reader.cursor()
      case 1: page.headReached = try reader.flag("reaching of the head")
      case 2: proof = try reader.proof()
      case 3: writers = try reader.writers()
      case 4: runs = try reader.runs(of: writers.count)
      case 5: deltas = try reader.batch("changes")
      case 6: page.conflicts = try reader.conflicts()
      case 7: page.uploading = try reader.names("devices", limit: MessageLimits.devices)
      case 8: page.waitingFor = try reader.sentences()
      case 9: page.notices = try reader.sentences()
      case 10: page.isOfferWanted = try reader.flag("wish for an offer")
      default: return false
      }
      return true
    }
    page.cursor = try reader.need(cursor, "cursor")
    page.proof = try reader.need(proof, "proof")
    page.changes = try reader.changes(of: deltas, writtenBy: writers, in: runs)
    self = page
  }

  package func write(to writer: inout CBORWriter) {
    let devices = changes.isEmpty ? [] : Set(changes.map(\.device)).sorted()
    writer.map(
      3 + (changes.isEmpty ? 0 : 3) + (conflicts.isEmpty ? 0 : 1) + (uploading.isEmpty ? 0 : 1)
        + (waitingFor.isEmpty ? 0 : 1) + (notices.isEmpty ? 0 : 1) + (isOfferWanted ? 1 : 0))
    writer.unsigned(0)
    writer.blob(cursor.bytes)
    writer.unsigned(1)
    writer.flag(headReached)
    writer.unsigned(2)
    writer.proof(proof)
    if !changes.isEmpty {
      writer.unsigned(3)
      writer.texts(devices.map(\.description))
      writer.unsigned(4)
      writer.runs(of: changes, among: devices)
      writer.unsigned(5)
      writer.batch(changes.map(\.delta))
    }
    if !conflicts.isEmpty {
      writer.unsigned(6)
      writer.conflicts(conflicts)
    }
    for (key, texts) in [(7, uploading), (8, waitingFor), (9, notices)] as [(UInt64, [String])]
    where !texts.isEmpty {
      writer.unsigned(key)
      writer.texts(texts)
    }
    if isOfferWanted {
      writer.unsigned(10)
      writer.flag(true)
    }
  }
}

extension CBORWriter {
  fileprivate mutating func runs(of changes: [FetchedChange], among devices: [DeviceID]) {
    var runs: [(count: Int, device: DeviceID)] = []
    for change in changes {
      if let last = runs.last, last.device == change.device {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((1, change.device))
      }
    }
    let numbers = Dictionary(
      devices.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    array(runs.count)
    for run in runs {
      array(2)
      unsigned(UInt64(run.count))
      unsigned(UInt64(numbers[run.device] ?? 0))
    }
  }
}

extension CBORReader {
  fileprivate mutating func writers() throws(WireError) -> [DeviceID] {
    var writers: [DeviceID] = []
    for _ in 0..<(try array("writers", limit: MessageLimits.devices)) {
      writers.append(try deviceID())
    }
    return writers
  }

  fileprivate mutating func runs(
    of writers: Int
  ) throws(WireError) -> [(count: Int, writer: Int)] {
    var runs: [(count: Int, writer: Int)] = []
    for _ in 0..<(try array("runs", limit: WireLimits.standard.deltas)) {
      try tuple("run", of: 2)
      let count = try unsigned("length of a run", limit: UInt64(WireLimits.standard.deltas))
      runs.append((Int(count), try index("writer", below: writers)))
    }
    return runs
  }

  fileprivate mutating func sentences() throws(WireError) -> [String] {
    var all: [String] = []
    for _ in 0..<(try array("sentences", limit: MessageLimits.devices)) {
      all.append(try text("sentence", limit: MessageLimits.sentenceBytes))
    }
    return all
  }

  fileprivate func changes(
    of deltas: [RecordDelta], writtenBy writers: [DeviceID],
    in runs: [(count: Int, writer: Int)]
  ) throws(WireError) -> [FetchedChange] {
    var changes: [FetchedChange] = []
    changes.reserveCapacity(deltas.count)
    for run in runs {
      guard run.count <= deltas.count - changes.count else {
        throw error(.outOfRange, "its runs are longer than its changes")
      }
      for _ in 0..<run.count {
        changes.append(
          FetchedChange(delta: deltas[changes.count], device: writers[run.writer]))
      }
    }
    guard changes.count == deltas.count else {
      throw error(.missing, "the writer of a change is missing")
    }
    return changes
  }
}
