import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat
import Testing

struct MessageTests {
  private func roundTrip<M: Message & Equatable>(
    _ message: M, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bytes = message.encode()
    let read = try M(decoding: bytes)
    #expect(read == message, sourceLocation: sourceLocation)
    #expect(read.encode() == bytes, "one content has one form", sourceLocation: sourceLocation)
  }

  @Test(arguments: UInt64(1)...100)
  func `every message comes back as it was written`(seed: UInt64) throws {
    var samples = Samples(seed: seed)
    try roundTrip(samples.openRequest())
    try roundTrip(samples.zoneDescription())
    try roundTrip(samples.sendPage())
    try roundTrip(samples.sendAnswer())
    try roundTrip(samples.fetchRequest())
    try roundTrip(samples.fetchPage())
    try roundTrip(samples.receipt())
    try roundTrip(DeviceReports(samples.reports()))
    try roundTrip(samples.purgeRequest())
  }

  private func refusesEveryCut<M: Message>(_ message: M) {
    let bytes = message.encode()
    for count in 0..<bytes.count {
      #expect(throws: WireError.self) { try M(decoding: Array(bytes[..<count])) }
    }
    #expect(throws: WireError.self) { try M(decoding: bytes + [0]) }
  }

  @Test(arguments: UInt64(1)...10)
  func `a message that is cut anywhere or goes on is refused`(seed: UInt64) {
    var samples = Samples(seed: seed)
    refusesEveryCut(samples.openRequest())
    refusesEveryCut(samples.zoneDescription())
    refusesEveryCut(samples.sendPage())
    refusesEveryCut(samples.sendAnswer())
    refusesEveryCut(samples.fetchRequest())
    refusesEveryCut(samples.fetchPage())
    refusesEveryCut(samples.receipt())
    refusesEveryCut(DeviceReports(samples.reports()))
    refusesEveryCut(samples.purgeRequest())
  }

  @Test(arguments: UInt64(1)...40)
  func `a message with wrong bytes is refused or is another message`(seed: UInt64) {
    var samples = Samples(seed: seed)
    let originals = [
      samples.openRequest().encode(), samples.sendPage().encode(), samples.fetchPage().encode(),
      samples.fetchRequest().encode(), samples.receipt().encode(),
    ]
    for original in originals where !original.isEmpty {
      for _ in 0..<20 {
        var bytes = original
        for _ in 0...2 {
          let place = Int.random(in: 0..<bytes.count, using: &samples.random)
          bytes[place] = UInt8(truncatingIfNeeded: samples.random.next())
        }
        readAll(bytes)
      }
    }
  }

  /// Whatever can be read has one form, so it is written as it came.
  private func readAll(_ bytes: [UInt8]) {
    check(OpenRequest.self, bytes)
    check(SendPage.self, bytes)
    check(FetchPage.self, bytes)
    check(FetchRequest.self, bytes)
    check(Receipt.self, bytes)
  }

  private func check<M: Message & Equatable>(_: M.Type, _ bytes: [UInt8]) {
    do throws(WireError) {
      let message = try M(decoding: bytes)
      let again = try M(decoding: message.encode())
      #expect(again == message)
    } catch {
      #expect(error.position <= bytes.count)
    }
  }

  @Test func `an error in the records of a page names its byte in the page`() throws {
    var samples = Samples(seed: 3)
    var page = samples.sendPage()
    page.deltas = [samples.delta()]
    page.conflicts = []
    var bytes = page.encode()
    let batch = Batch(deltas: page.deltas).encode()
    let start = bytes.count - batch.count
    bytes[start] = 0xFF
    let error = #expect(throws: WireError.self) { try SendPage(decoding: bytes) }
    #expect(error?.position == start)
  }

  @Test func `a key of a later version is skipped`() throws {
    var writer = CBORWriter()
    writer.map(3)
    writer.unsigned(0)
    writer.array(2)
    writer.text(DeviceID(device: 1, epoch: 2).description)
    writer.text("phone")
    writer.unsigned(1)
    writer.text("0a")
    writer.unsigned(99)
    writer.array(1)
    writer.text("news")
    let request = try PurgeRequest(decoding: writer.bytes)
    #expect(request.zone == ZoneID(rawValue: "0a"))
    #expect(request.device.name == "phone")
  }

  @Test func `a page whose writers do not add up is refused`() throws {
    var samples = Samples(seed: 5)
    var page = samples.fetchPage()
    page.changes = [FetchedChange(delta: samples.delta(), device: samples.deviceID())]
    let bytes = page.encode()
    // The runs are the array of one pair, one change by the first writer.
    let runs: [UInt8] = [0x04, 0x81, 0x82, 0x01, 0x00]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: runs) })
    for wrong: UInt8 in [0, 2, 23] {
      var changed = bytes
      changed[place + 3] = wrong
      #expect(throws: WireError.self) { try FetchPage(decoding: changed) }
    }
  }
}
