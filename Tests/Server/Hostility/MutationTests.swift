import Foundation
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Testing

/// Real messages with faults put into them: nothing may crash, and nothing may be half done.
struct MutationTests {
  private static let soak = ProcessInfo.processInfo.environment["STRANDLINE_SOAK"] != nil
  private static let seed =
    ProcessInfo.processInfo.environment["STRANDLINE_SEED"].flatMap { UInt64($0) }
    ?? UInt64.random(in: 0...UInt64.max)
  private static let parts = 4
  private static var rounds: Int { (soak ? 1_000_000 : 20_000) / parts }

  /// Real messages of all kinds, each with its endpoint.
  private func messages(_ desk: Desk) throws -> [(Endpoint, [UInt8])] {
    let zone = try desk.open().zone
    try desk.send(1, to: zone, Fact.note("a", "milk"), Fact.note("b", "bread"))
    let page = try desk.fetch(2, from: zone)
    let path = zone.rawValue
    let cursor = page.cursor
    return [
      (
        .open,
        OpenRequest(
          device: Desk.info(1), zoneName: "notes", environment: .development, expected: zone,
          schema: ["Note": ["text"], "List": ["title", "order"]], proof: page.proof
        ).encode()
      ),
      (
        .send(zone: path),
        desk.page(
          1, to: zone, (0..<5).map { Fact.note("n\($0)", "text", at: $0 + 2) }, cursor: cursor
        ).encode()
      ),
      (
        .fetch(zone: path),
        FetchRequest(
          device: Desk.info(2), zone: zone, proof: page.proof, cursor: cursor, limit: 10
        ).encode()
      ),
      (
        .receipts(zone: path),
        Receipt(device: Desk.info(2), zone: zone, proof: page.proof, cursor: cursor).encode()
      ),
      (.purge(zone: "00"), PurgeRequest(device: Desk.info(1), zone: zone).encode()),
    ]
  }

  @Test(arguments: 0..<parts)
  func `a message with faults in it is answered in good order`(part: Int) throws {
    var random = SeededGenerator(seed: Self.seed &+ UInt64(part))
    let desk = try Desk()
    let messages = try messages(desk)
    var counts: [Int: Int] = [:]
    for round in 0..<Self.rounds {
      let (endpoint, whole) = messages[Int.random(in: 0..<messages.count, using: &random)]
      let bytes = Mutation.of(whole, using: &random)
      let answer = desk.ask(endpoint, bytes)
      counts[answer.status, default: 0] += 1
      let isExpected = [200, 204, 400, 404, 409, 410, 413, 422, 501].contains(answer.status)
      guard isExpected else {
        Issue.record("Seed \(Self.seed), part \(part), round \(round): \(answer.status)")
        return
      }
    }
    // Some faults hit a value that may be anything; most do not.
    #expect(counts[400, default: 0] > Self.rounds / 2, "\(counts), seed \(Self.seed)")
    #expect(desk.ask(.health).status == 200)
  }

  @Test func `an error's body and an event with faults in them are read or left alone`() throws {
    var random = SeededGenerator(seed: Self.seed)
    let error = ErrorBody(
      TransportError(
        .tooLarge, "Could not take it.", advice: "Send less.",
        remedy: .retry(afterMilliseconds: 5), context: ["bytes": "12"]))
    let event = HintEvent(
      number: 7, zone: ZoneID(rawValue: "ab"), incarnation: 1, sequence: 9, device: "d")
    let texts = [error.json.text, event.text].map { Array($0.utf8) }
    var readable = 0
    for _ in 0..<Self.rounds {
      let bytes = Mutation.of(texts[Int.random(in: 0..<2, using: &random)], using: &random)
      let text = String(decoding: bytes, as: UTF8.self)
      if let json = try? JSONValue(parsing: text), let body = ErrorBody(json) {
        readable += 1
        #expect(body.error.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
      }
      var reader = ServerEventReader(bound: 1000)
      readable += reader.read(bytes).compactMap(HintEvent.init).count
    }
    #expect(readable > 0 && readable < Self.rounds * 2)
  }

  @Test func `declared lengths and depths beyond all bounds allocate nothing`() throws {
    let desk = try Desk()
    _ = try desk.open()
    let heads: [[UInt8]] = [
      [0x9B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0xBB, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      [0x7B, 0x80, 0, 0, 0, 0, 0, 0, 0], [0x9F], [0xBF], [0x5F, 0x41, 0],
      [0xA1, 0x00, 0x9B, 0, 0, 0, 1, 0, 0, 0, 0],
      [UInt8](repeating: 0x81, count: 1_000_000), [UInt8](repeating: 0xA1, count: 1_000_000),
      [UInt8](repeating: 0xC1, count: 1_000_000), [0xFB, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0], [],
      [0xA2, 0, 0, 0, 0], [0x62, 0xC3, 0x28],
    ]
    for head in heads {
      for endpoint in [Endpoint.open, .send(zone: "aa"), .fetch(zone: "aa")] {
        let answer = desk.ask(endpoint, head)
        #expect(answer.status == 400, "\(head.prefix(9))")
        #expect(try answer.json["context"]?["byte"]?.string != nil)
      }
    }
  }
}

/// Faults as they come from broken programs, wires and attackers.
enum Mutation {
  static func of(
    _ whole: [UInt8], using random: inout SeededGenerator
  ) -> [UInt8] {
    var bytes = whole
    for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeSubrange(place...)
      case 3: bytes.remove(at: place)
      case 4: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 5:
        let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      default:
        // A head that declares a length or a number of eight bytes.
        let kind = [0x1B, 0x3B, 0x5B, 0x7B, 0x9B, 0xBB, 0xFB][
          Int.random(in: 0..<7, using: &random)]
        bytes.replaceSubrange(
          place..<place + 1,
          with: [UInt8(kind)] + (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
      }
    }
    return bytes
  }
}
