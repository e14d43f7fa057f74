import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTransport
import Synchronization

/// A server in the process, and the shortest words for what devices ask of it.
final class Desk: Sendable {
  static let secret = "token-of-anna"
  static let account = "anna"
  let cabinet: Cabinet
  let clock: TestClock
  let server: Server<MemoryServerStorage>
  private let tokens = Mutex(SeededGenerator(seed: 99))
  private let sequences = Mutex<[DeviceID: Int64]>([:])

  init(
    cabinet: Cabinet = Cabinet(), clock: TestClock = TestClock(), process: Int = 1,
    limits: ServerLimits = ServerLimits(), hosts: HostCheck = .any
  ) throws {
    self.cabinet = cabinet
    self.clock = clock
    if cabinet.use({ $0.tokens.isEmpty }) {
      cabinet.addToken(Self.secret, account: Self.account)
    }
    server = try Server(
      storage: MemoryServerStorage(cabinet, process: process), limits: limits, hosts: hosts,
      clock: clock.wall, random: SeededGenerator(seed: 7), tokenHash: Self.hash)
  }

  /// Secrets are their own hashes here; one that does not say that it is a token is none.
  static let hash: @Sendable (String) -> [UInt8]? = { secret in
    secret.hasPrefix("token-") ? Array(secret.utf8) : nil
  }

  static func info(_ number: UInt64) -> DeviceInfo {
    DeviceInfo(id: DeviceID(device: number, epoch: 1), name: "device \(number)")
  }

  /// A request as a device sends it.
  static func request(
    _ endpoint: Endpoint, _ body: [UInt8] = [], secret: String? = Desk.secret,
    query: [String: String] = [:]
  ) -> ServerRequest {
    var headers = ["host": "localhost"]
    if let secret { headers["authorization"] = "Bearer \(secret)" }
    if endpoint.method == "POST" { headers["content-type"] = HTTPAPI.cbor }
    return ServerRequest(
      method: endpoint.method, path: endpoint.path, query: query, headers: headers, body: body,
      remoteAddress: "127.0.0.1")
  }

  func ask(
    _ endpoint: Endpoint, _ body: [UInt8] = [], secret: String? = Desk.secret,
    query: [String: String] = [:]
  ) -> ServerAnswer {
    server.answer(Self.request(endpoint, body, secret: secret, query: query))
  }

  @discardableResult func open(
    _ device: UInt64 = 1, name: String = "notes", secret: String = Desk.secret
  ) throws -> ZoneDescription {
    let request = OpenRequest(
      device: Self.info(device), zoneName: name, environment: .development, expected: nil,
      schema: ["Note": ["text"]], proof: nil)
    return try ZoneDescription(decoding: ask(.open, request.encode(), secret: secret).bytes(200))
  }

  /// A page of a group of one page, under a fresh token.
  func page(
    _ device: UInt64, to zone: ZoneID, _ deltas: [RecordDelta], cursor: Cursor? = nil
  ) -> SendPage {
    let info = Self.info(device)
    let base = sequences.withLock { sequences in
      defer { sequences[info.id, default: 0] += 1 }
      return sequences[info.id, default: 0]
    }
    let (token, transaction) = tokens.withLock { ($0.next(), $0.next()) }
    return SendPage(
      device: info, zone: zone, proof: nil, cursor: cursor,
      group: GroupHeader(
        token: token, base: base, sequence: base + 1, transactionToken: transaction,
        recordCount: deltas.count),
      page: 0, isLast: true, deltas: deltas)
  }

  @discardableResult func send(
    _ device: UInt64 = 1, to zone: ZoneID, _ deltas: RecordDelta...
  ) throws -> SendAnswer {
    let page = page(device, to: zone, deltas)
    return try SendAnswer(
      decoding: ask(.send(zone: zone.rawValue), page.encode()).bytes(200))
  }

  func fetch(
    _ device: UInt64 = 2, from zone: ZoneID, after cursor: Cursor? = nil
  ) throws -> FetchPage {
    let request = FetchRequest(
      device: Self.info(device), zone: zone, proof: nil, cursor: cursor, limit: 1000)
    return try FetchPage(
      decoding: ask(.fetch(zone: zone.rawValue), request.encode()).bytes(200))
  }
}

/// Facts about notes.
enum Fact {
  static func note(_ id: String, _ text: String, at time: Int64 = 1) -> RecordDelta {
    let stamp = Stamp(rawValue: time)
    return RecordDelta(
      key: RecordKey(entity: "Note", id: RecordID(text: id)), birth: stamp,
      versions: ["text": Version(life: stamp, stamp: stamp, value: .text(text))])
  }
}

/// That an answer is another one than was expected.
struct UnexpectedAnswer: Error, CustomStringConvertible {
  let description: String
}

extension ServerAnswer {
  /// The body, where the status is the right one.
  func bytes(_ status: Int) throws -> [UInt8] {
    guard case .bytes(let bytes) = body else {
      throw UnexpectedAnswer(description: "A stream was answered.")
    }
    guard self.status == status else {
      throw UnexpectedAnswer(
        description: "\(self.status): \(String(decoding: bytes, as: UTF8.self))")
    }
    return bytes
  }

  /// The body as JSON.
  var json: JSONValue {
    get throws { try JSONValue(parsing: String(decoding: bytes(status), as: UTF8.self)) }
  }

  /// The stream that was answered.
  var stream: EventStream {
    get throws {
      guard case .events(let stream) = body else {
        throw UnexpectedAnswer(
          description: "\(status): \(String(decoding: try bytes(status), as: UTF8.self))")
      }
      return stream
    }
  }
}

extension EventStream {
  /// Everything that waits, as text; nil when nothing will come any more.
  func text() -> String? {
    take(atMost: .max).map { String(decoding: $0, as: UTF8.self) }
  }
}
