import StrandlineDirectoryTransport
import StrandlineModels
import StrandlineTransport

/// One device as its engine drives the transport: a log, an acknowledgement, a cursor.
struct TestDevice {
  let info: DeviceInfo
  var transport: DirectoryTransport
  private(set) var zone: ZoneID
  private(set) var proof: Proof
  private(set) var opened: ZoneDescription
  /// The log's head.
  var sequence: Int64 = 0
  /// The sequence that was acknowledged.
  var acknowledged: Int64 = 0
  var cursor: Cursor?
  /// What the last fetch waited for.
  private(set) var waitingFor: [String] = []
  private(set) var uploading: [String] = []
  /// What the last fetch said besides.
  private(set) var notices: [String] = []
  /// Whether the last fetch asked for an offer of everything.
  private(set) var isOfferWanted = false

  init(
    _ name: String, _ number: UInt64, in folder: TestFolder, epoch: UInt32 = 1,
    expected: ZoneID? = nil, zoneName: String = "notes", limits: DirectoryLimits = .init(),
    observe: @escaping WriteObserver = { _, _ throws(TransportError) in },
    conditions: FileConditions = FileConditions(), now: Int64 = 1_750_000_000_000
  ) async throws {
    info = DeviceInfo(id: DeviceID(device: number, epoch: epoch), name: name)
    transport = DirectoryTransport(
      path: folder.path, clock: WallClock { now }, limits: limits, observe: observe,
      conditions: conditions)
    opened = try await transport.open(
      OpenRequest(
        device: info, zoneName: zoneName, environment: .development, expected: expected,
        schema: [:], proof: nil))
    zone = opened.zone
    proof = opened.proof
  }

  /// Opens the zone again, as at the next start.
  @discardableResult
  mutating func reopen(in folder: TestFolder? = nil) async throws -> ZoneDescription {
    if let folder {
      transport = DirectoryTransport(path: folder.path, clock: WallClock { 1_750_000_000_000 })
    }
    return try await reopenAsIs()
  }

  /// Opens the zone again over the transport that it has.
  @discardableResult
  mutating func reopenAsIs() async throws -> ZoneDescription {
    opened = try await transport.open(
      OpenRequest(
        device: info, zoneName: "notes", environment: .development, expected: zone, schema: [:],
        proof: proof))
    return opened
  }

  /// The group that publishes what the log holds beyond the acknowledgement.
  func page(
    _ texts: [String], token: UInt64? = nil, isPartOfUpload: Bool = false,
    stamp: Stamp? = nil
  ) -> SendPage {
    let stamp = stamp ?? Stamp(milliseconds: sequence % 1_000_000_000)
    let deltas = texts.map { text in
      RecordDelta(
        key: RecordKey(entity: "Note", id: RecordID(text: text)), birth: stamp,
        versions: ["text": Version(life: stamp, stamp: stamp, value: .text(text))])
    }
    let token = token ?? (info.id.device << 32 | UInt64(sequence))
    let group = GroupHeader(
      token: token, base: acknowledged, sequence: sequence, transactionToken: token,
      recordCount: deltas.count, isPartOfUpload: isPartOfUpload)
    return SendPage(
      device: info, zone: zone, proof: proof, cursor: cursor, group: group, page: 0,
      isLast: true, deltas: deltas)
  }

  /// Saves some texts in one transaction and sends them.
  mutating func publish(_ texts: String..., isPartOfUpload: Bool = false) async throws {
    sequence += Int64(texts.count)
    let answer = try await transport.send(page(texts, isPartOfUpload: isPartOfUpload))
    acknowledged = answer.acceptance?.sequence ?? acknowledged
  }

  /// Fetches until the head is reached and returns the texts that came, in their order.
  mutating func fetch(limit: Int = 100) async throws -> [String] {
    try await fetchChanges(limit: limit).map { $0.delta.key.id.description }
  }

  mutating func fetchChanges(limit: Int = 100) async throws -> [FetchedChange] {
    var changes: [FetchedChange] = []
    while true {
      let page = try await transport.fetch(
        FetchRequest(device: info, zone: zone, proof: proof, cursor: cursor, limit: limit))
      changes += page.changes
      cursor = page.cursor
      waitingFor = page.waitingFor
      uploading = page.uploading
      notices = page.notices
      isOfferWanted = page.isOfferWanted
      if page.headReached { return changes }
    }
  }

  /// Reports what was fetched, and returns what others have read of this device.
  func receipts() async throws -> [DeviceReport] {
    try await transport.exchangeReceipts(
      Receipt(device: info, zone: zone, proof: proof, cursor: cursor ?? Cursor(bytes: [])))
  }
}

/// The code of the error that a call throws, or nil if it throws none.
func code(
  _ body: () async throws -> Void
) async throws -> TransportError.Code? {
  do {
    try await body()
    return nil
  } catch let error as TransportError {
    return error.code
  }
}

extension TransportError.Code {
  static let deviceRestored = TransportError.Code(rawValue: "deviceRestored")
  static let environmentMismatch = TransportError.Code(rawValue: "environmentMismatch")
}
