import StrandlineModels
package import StrandlineTransport
package import StrandlineWireFormat

extension SendPage: Message {
  package static var subject: String { "page of a group" }

  package init(from reader: inout CBORReader) throws(WireError) {
    var device: DeviceInfo?
    var zone: ZoneID?
    var proof: Proof?
    var cursor: Cursor?
    var group: GroupHeader?
    var page: Int64?
    var isLast: Bool?
    var deltas: [RecordDelta]?
    var conflicts: [ConflictEntry] = []
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: device = try reader.device()
      case 1: zone = try reader.zone()
      case 2: proof = try reader.proof()
      case 3: cursor = try reader.cursor()
      case 4: group = try reader.group()
      case 5: page = try reader.natural("page's number")
      case 6: isLast = try reader.flag("end of the group")
      case 7: deltas = try reader.batch("changes")
      case 8: conflicts = try reader.conflicts()
      default: return false
      }
      return true
    }
    self.init(
      device: try reader.need(device, "device"), zone: try reader.need(zone, "zone"),
      proof: proof, cursor: cursor, group: try reader.need(group, "group"),
      page: Int(clamping: try reader.need(page, "page's number")),
      isLast: try reader.need(isLast, "end of the group"),
      deltas: try reader.need(deltas, "changes"), conflicts: conflicts)
  }

  package func write(to writer: inout CBORWriter) {
    writer.map(
      6 + (proof == nil ? 0 : 1) + (cursor == nil ? 0 : 1) + (conflicts.isEmpty ? 0 : 1))
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
    writer.group(group)
    writer.unsigned(5)
    writer.integer(Int64(page))
    writer.unsigned(6)
    writer.flag(isLast)
    writer.unsigned(7)
    writer.batch(deltas)
    if !conflicts.isEmpty {
      writer.unsigned(8)
      writer.conflicts(conflicts)
    }
  }
}

extension SendAnswer: Message {
  package static var subject: String { "answer to a page" }

  package init(from reader: inout CBORReader) throws(WireError) {
    self.init()
    var (acceptance, refused, deaths): (Acceptance?, [Refusal], [RecordDelta]) = (nil, [], [])
    try reader.fields("fields") { (reader, key) throws(WireError) in
      switch key {
      case 0: acceptance = try reader.acceptance()
      case 1: refused = try reader.refusals()
      case 2: deaths = try reader.batch("deaths")
      default: return false
      }
      return true
    }
    self.init(acceptance: acceptance, refused: refused, deaths: deaths)
  }

  package func write(to writer: inout CBORWriter) {
    writer.map((acceptance == nil ? 0 : 1) + (refused.isEmpty ? 0 : 1) + (deaths.isEmpty ? 0 : 1))
    if let acceptance {
      writer.unsigned(0)
      writer.array(3)
      writer.integer(acceptance.sequence)
      writer.integer(acceptance.position)
      writer.proof(acceptance.proof)
    }
    if !refused.isEmpty {
      writer.unsigned(1)
      writer.array(refused.count)
      for refusal in refused {
        writer.array(4)
        writer.text(refusal.key.entity)
        writer.value(refusal.key.id.value)
        writer.text(refusal.code)
        writer.text(refusal.message)
      }
    }
    if !deaths.isEmpty {
      writer.unsigned(2)
      writer.batch(deaths)
    }
  }
}

extension CBORWriter {
  fileprivate mutating func group(_ group: GroupHeader) {
    map(7)
    let numbers = [
      group.token, UInt64(clamping: group.base), UInt64(clamping: group.sequence),
      group.transactionToken, UInt64(clamping: group.recordCount),
      UInt64(clamping: group.incomplete), GroupMarks(group).rawValue,
    ]
    for (key, number) in numbers.enumerated() {
      unsigned(UInt64(key))
      unsigned(number)
    }
  }
}

/// The yes-or-no properties of a group as one number.
private struct GroupMarks: OptionSet {
  let rawValue: UInt64
  static let isPartOfUpload = GroupMarks(rawValue: 1)
  static let isOffer = GroupMarks(rawValue: 2)
  static let endsOffer = GroupMarks(rawValue: 4)

  init(rawValue: UInt64) { self.rawValue = rawValue }

  init(_ group: GroupHeader) {
    self = []
    if group.isPartOfUpload { insert(.isPartOfUpload) }
    if group.isOffer { insert(.isOffer) }
    if group.endsOffer { insert(.endsOffer) }
  }
}

extension CBORReader {
  fileprivate mutating func group() throws(WireError) -> GroupHeader {
    var group = GroupHeader(
      token: 0, base: 0, sequence: 0, transactionToken: 0, recordCount: 0)
    var found: Set<UInt64> = []
    try fields("fields of the group") { (reader, key) throws(WireError) in
      found.insert(key)
      switch key {
      case 0: group.token = try reader.unsigned("token")
      case 1: group.base = try reader.natural("base")
      case 2: group.sequence = try reader.natural("sequence")
      case 3: group.transactionToken = try reader.unsigned("token")
      case 4: group.recordCount = Int(clamping: try reader.natural("number of records"))
      case 5: group.incomplete = Int(clamping: try reader.natural("number of records"))
      case 6:
        let marks = GroupMarks(rawValue: try reader.unsigned("marks"))
        group.isPartOfUpload = marks.contains(.isPartOfUpload)
        group.isOffer = marks.contains(.isOffer)
        group.endsOffer = marks.contains(.endsOffer)
      default: return false
      }
      return true
    }
    guard found.isSuperset(of: 0...4) else {
      throw error(.missing, "a part of the group's head is missing")
    }
    return group
  }

  fileprivate mutating func acceptance() throws(WireError) -> Acceptance {
    try tuple("acceptance", of: 3)
    return Acceptance(
      sequence: try natural("sequence"), position: try natural("position"), proof: try proof())
  }

  fileprivate mutating func refusals() throws(WireError) -> [Refusal] {
    var all: [Refusal] = []
    for _ in 0..<(try array("refused records", limit: WireLimits.standard.deltas)) {
      try tuple("refusal", of: 4)
      all.append(
        Refusal(
          key: try recordKey(), code: try name("code"),
          message: try text("message", limit: MessageLimits.sentenceBytes)))
    }
    return all
  }
}
