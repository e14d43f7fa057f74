import StrandlineAuthority
import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat

/// Writes and reads what is kept of groups, as short runs of CBOR items.
struct GroupCoding {
  let facts: FactCoding
  let origin: (DeviceID) throws -> Int64
  let device: (Int64) throws -> DeviceID

  /// The longest text of a refusal.
  private static let textLimit = 1 << 20

  static func write(_ header: GroupHeader) -> [UInt8] {
    var writer = CBORWriter()
    writer.unsigned(header.token)
    writer.integer(header.base)
    writer.integer(header.sequence)
    writer.unsigned(header.transactionToken)
    writer.integer(Int64(header.recordCount))
    writer.integer(Int64(header.incomplete))
    for flag in [header.isPartOfUpload, header.isOffer, header.endsOffer] {
      writer.unsigned(flag ? 1 : 0)
    }
    return writer.bytes
  }

  static func readHeader(_ bytes: [UInt8]) throws -> GroupHeader {
    var reader = CBORReader(bytes, subject: "group")
    return GroupHeader(
      token: try reader.unsigned("token"), base: try integer(&reader),
      sequence: try integer(&reader), transactionToken: try reader.unsigned("token"),
      recordCount: Int(try integer(&reader)), incomplete: Int(try integer(&reader)),
      isPartOfUpload: try reader.unsigned("flag") != 0,
      isOffer: try reader.unsigned("flag") != 0, endsOffer: try reader.unsigned("flag") != 0)
  }

  private static func integer(_ reader: inout CBORReader) throws -> Int64 {
    guard let number = try reader.value(limit: 0).integer else {
      throw reader.error(.wrongType, "a number is expected")
    }
    return number
  }

  /// What a page's summary holds besides its counts.
  func write(_ page: StagedGroup.PageSummary) throws -> [UInt8] {
    var writer = CBORWriter()
    writer.array(page.refused.count)
    for refusal in page.refused {
      try facts.write(refusal.key, to: &writer)
      writer.text(refusal.code)
      writer.text(refusal.message)
    }
    writer.array(page.conflicts.count)
    for conflict in page.conflicts {
      writer.integer(try origin(conflict.device))
      try facts.write(conflict, to: &writer)
    }
    return writer.bytes
  }

  func readPage(
    _ bytes: [UInt8], recordCount: Int, byteCount: Int
  ) throws -> StagedGroup.PageSummary {
    var reader = CBORReader(bytes, subject: "page")
    var page = StagedGroup.PageSummary(
      recordCount: recordCount, byteCount: byteCount, refused: [])
    for _ in 0..<(try reader.array("refusals", limit: .max)) {
      let key = try facts.readKey(from: &reader)
      let code = try reader.text("code", limit: Self.textLimit)
      let message = try reader.text("message", limit: Self.textLimit)
      page.refused.append(Refusal(key: key, code: code, message: message))
    }
    for _ in 0..<(try reader.array("conflicts", limit: .max)) {
      let device = try device(try reader.natural("device"))
      page.conflicts.append(try facts.readConflict(by: device, from: &reader))
    }
    return page
  }

  func write(_ deltas: [RecordDelta]) throws -> [UInt8] {
    var writer = CBORWriter()
    writer.array(deltas.count)
    for delta in deltas {
      try facts.write(delta.key, to: &writer)
      try facts.write(delta, to: &writer)
    }
    return writer.bytes
  }

  func readDeltas(_ bytes: [UInt8]) throws -> [RecordDelta] {
    var reader = CBORReader(bytes, subject: "page")
    var deltas: [RecordDelta] = []
    for _ in 0..<(try reader.array("records", limit: .max)) {
      let key = try facts.readKey(from: &reader)
      deltas.append(try facts.read(key, from: &reader))
    }
    return deltas
  }

  func write(_ keys: [RecordKey]) throws -> [UInt8] {
    var writer = CBORWriter()
    writer.array(keys.count)
    for key in keys { try facts.write(key, to: &writer) }
    return writer.bytes
  }

  func readKeys(_ bytes: [UInt8]) throws -> [RecordKey] {
    var reader = CBORReader(bytes, subject: "memo")
    var keys: [RecordKey] = []
    for _ in 0..<(try reader.array("records", limit: .max)) {
      keys.append(try facts.readKey(from: &reader))
    }
    return keys
  }
}
