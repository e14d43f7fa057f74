import StrandlineModels
import StrandlineTransport

/// Random messages, each made of every part that it can have, or without it.
struct Samples {
  var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  private mutating func maybe<Part>(_ make: (inout Samples) -> Part) -> Part? {
    Bool.random(using: &random) ? make(&self) : nil
  }

  private mutating func list<Part>(_ make: (inout Samples) -> Part) -> [Part] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in make(&self) }
  }

  mutating func natural() -> Int64 {
    Int64(truncatingIfNeeded: random.next())
      & (Int64.max >> Int64.random(in: 0...62, using: &random))
  }

  mutating func text() -> String {
    ["", "milk", "żółć", "👩‍👩‍👧", "a\u{301}", "line\nline", "\0"].randomElement(using: &random) ?? ""
  }

  mutating func stamp() -> Stamp { Stamp(rawValue: 1 + natural() % (1 << 60)) }

  mutating func value() -> Value {
    switch Int.random(in: 0...4, using: &random) {
    case 0: .null
    case 1: .integer(Int64(truncatingIfNeeded: random.next()))
    case 2: .real(Double(natural()) / 3)
    case 3: .text(text())
    default: .blob([0, 255, 7])
    }
  }

  mutating func key() -> RecordKey {
    let id =
      Bool.random(using: &random)
      ? RecordID(text: "id\(natural())") : RecordID(bytes: (0..<16).map { UInt8($0) })
    return RecordKey(entity: ["Item", "List"].randomElement(using: &random) ?? "", id: id)
  }

  mutating func deviceID() -> DeviceID { .random(using: &random) }

  mutating func device() -> DeviceInfo { DeviceInfo(id: deviceID(), name: text()) }

  mutating func zone() -> ZoneID { ZoneID(rawValue: String(random.next(), radix: 16)) }

  mutating func proof() -> Proof {
    Proof(incarnation: natural(), sequence: natural(), nonce: random.next())
  }

  mutating func cursor() -> Cursor {
    Cursor(bytes: list { UInt8(truncatingIfNeeded: $0.natural()) })
  }

  mutating func delta() -> RecordDelta {
    var delta = RecordDelta(key: key())
    delta.birth = maybe { $0.stamp() }
    delta.death = maybe { Death(life: $0.stamp(), stamp: $0.stamp()) }
    for property in ["name", "done", "note"] {
      delta.versions[property] = maybe {
        Version(life: $0.stamp(), stamp: $0.stamp(), value: $0.value())
      }
    }
    return delta
  }

  mutating func conflict() -> ConflictEntry {
    ConflictEntry(
      key: key(), property: text(),
      loser: Version(life: stamp(), stamp: stamp(), value: value()), device: deviceID())
  }

  mutating func acceptedGroup() -> AcceptedGroup {
    AcceptedGroup(sequence: natural(), transactionToken: random.next())
  }
}

extension Samples {
  mutating func openRequest() -> OpenRequest {
    OpenRequest(
      device: device(), zoneName: text(),
      environment: Bool.random(using: &random) ? .development : .production,
      expected: maybe { $0.zone() },
      schema: ["Item": Set(list { $0.text() }), "List": []], proof: maybe { $0.proof() },
      acknowledged: natural())
  }

  mutating func zoneDescription() -> ZoneDescription {
    ZoneDescription(
      account: text(), zone: zone(), wasCreated: Bool.random(using: &random), proof: proof(),
      lastAccepted: maybe { $0.acceptedGroup() },
      limits: TransportLimits(pageRecords: Int(natural()), recordBytes: Int(natural())))
  }

  mutating func sendPage() -> SendPage {
    SendPage(
      device: device(), zone: zone(), proof: maybe { $0.proof() }, cursor: maybe { $0.cursor() },
      group: GroupHeader(
        token: random.next(), base: natural(), sequence: natural(),
        transactionToken: random.next(), recordCount: Int(natural()), incomplete: Int(natural()),
        isPartOfUpload: Bool.random(using: &random), isOffer: Bool.random(using: &random),
        endsOffer: Bool.random(using: &random)),
      page: Int(natural()), isLast: Bool.random(using: &random), deltas: list { $0.delta() },
      conflicts: list { $0.conflict() })
  }

  mutating func sendAnswer() -> SendAnswer {
    SendAnswer(
      acceptance: maybe {
        Acceptance(sequence: $0.natural(), position: $0.natural(), proof: $0.proof())
      },
      refused: list { Refusal(key: $0.key(), code: $0.text(), message: $0.text()) },
      deaths: list { $0.delta() })
  }

  mutating func fetchRequest() -> FetchRequest {
    FetchRequest(
      device: device(), zone: zone(), proof: maybe { $0.proof() }, cursor: maybe { $0.cursor() },
      limit: Int(natural()))
  }

  mutating func fetchPage() -> FetchPage {
    let devices = [deviceID(), deviceID()]
    return FetchPage(
      changes: list {
        FetchedChange(delta: $0.delta(), device: devices[Int($0.natural() & 1)])
      },
      conflicts: list { $0.conflict() }, cursor: cursor(),
      headReached: Bool.random(using: &random), proof: proof(), uploading: list { $0.text() },
      waitingFor: list { $0.text() }, notices: list { $0.text() },
      isOfferWanted: Bool.random(using: &random))
  }

  mutating func receipt() -> Receipt {
    Receipt(device: device(), zone: zone(), proof: maybe { $0.proof() }, cursor: cursor())
  }

  mutating func report() -> DeviceReport {
    DeviceReport(device: device(), position: natural(), reportedAt: natural())
  }

  mutating func reports() -> [DeviceReport] { list { $0.report() } }

  mutating func purgeRequest() -> PurgeRequest { PurgeRequest(device: device(), zone: zone()) }
}
