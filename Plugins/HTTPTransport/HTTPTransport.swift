import StrandlineHTTPProtocol
import StrandlineModels
public import StrandlineTransport

/// Carries changes to and from a Strandline server.
///
/// Only answers of a Strandline server are believed; what a captive portal or a proxy says never
/// counts for success. A call may be repeated after a lost answer, since the server knows a group
/// again by its token.
///
/// Messages are not compressed. What travels every day is a few hundred bytes, which do not shrink.
/// A page of 2,000 to-do records has about 300 kB and would shrink to 40 % for some 6 ms of
/// processor time on both sides together (zlib, level 1), so a first sync over a slow link would
/// gain; but a server that unpacks what strangers send needs bounds for it, and takes no packed
/// body.
public struct HTTPTransport: Transport {
  private let caller: HTTPCaller
  private let pace: HintPace
  /// The server's address: `https://example.com`.
  public let specification: String

  /// Makes a transport; nothing is sent before it is used.
  ///
  /// - Parameters:
  ///   - configuration: The address, and where the access token and the certificate authority are.
  ///   - client: What sends requests; a ``CurlClient`` of its own where none is given.
  /// - Throws: `unknownTransport` where the address is none.
  public init(
    _ configuration: TransportConfiguration, client: (any HTTPClient)? = nil
  ) throws(TransportError) {
    try self.init(configuration, client: client, pace: HintPace())
  }

  /// Makes a transport whose waiting between two streams of hints can be watched and changed.
  package init(
    _ configuration: TransportConfiguration, client: (any HTTPClient)?, pace: HintPace
  ) throws(TransportError) {
    let address = try HTTPAddress(configuration.specification)
    let options = CurlClientOptions(authorityFile: configuration.authorityFile)
    caller = HTTPCaller(
      address: address, client: client ?? CurlClient(options: options),
      tokens: TokenSource(file: configuration.tokenFile, given: configuration.token),
      clock: configuration.clock)
    self.pace = pace
    specification = address.description
  }

  /// Acceptance proves that the server holds the changes on its disk.
  public var traits: TransportTraits { TransportTraits(acknowledgement: .stored) }

  /// Tells whose token this is, as it stands in its file now; nobody is signed in where no token
  /// was named or the file is empty.
  public func account() async throws(TransportError) -> AccountState {
    guard try await caller.tokens.latest() != nil else { return .signedOut }
    let errand = Errand(
      endpoint: .account, verb: "ask whose account it is", expects: HTTPAPI.json,
      bodyLimit: 64 << 10)
    let bytes = try await caller.ask(errand)
    do throws(JSONError) {
      let json = try JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
      if let name = json["account"]?.string, (1...4096).contains(name.utf8.count) {
        return .available(name)
      }
    } catch {
      throw caller.reader(errand).unreadable(error, isNewer: false)
    }
    return .undetermined
  }

  /// Opens a zone, and makes it where the server allows that.
  public func open(_ request: OpenRequest) async throws(TransportError) -> ZoneDescription {
    let zone: ZoneDescription = try await caller.ask(
      Errand(
        endpoint: .open, verb: "open the zone '\(request.zoneName)'", body: request.encode(),
        expects: HTTPAPI.cbor))
    caller.memory.note(zone.zone, of: request.device)
    return zone
  }

  /// Sends one page of a group.
  public func send(_ page: SendPage) async throws(TransportError) -> SendAnswer {
    try await caller.ask(
      Errand(
        endpoint: .send(zone: page.zone.rawValue), verb: "send changes", body: page.encode(),
        expects: HTTPAPI.cbor, bodyLimit: 64 << 20))
  }

  /// Fetches what changed after a cursor.
  public func fetch(_ request: FetchRequest) async throws(TransportError) -> FetchPage {
    try await caller.ask(
      Errand(
        endpoint: .fetch(zone: request.zone.rawValue), verb: "fetch changes",
        body: request.encode(), expects: HTTPAPI.cbor, bodyLimit: 256 << 20))
  }

  /// Reports what this device holds durably and tells what other devices have reported.
  public func exchangeReceipts(
    _ receipt: Receipt
  ) async throws(TransportError) -> [DeviceReport] {
    let reports: DeviceReports = try await caller.ask(
      Errand(
        endpoint: .receipts(zone: receipt.zone.rawValue), verb: "report what is here",
        body: receipt.encode(), expects: HTTPAPI.cbor))
    return reports.all
  }

  /// Removes everything in a zone.
  public func purge(_ request: PurgeRequest) async throws(TransportError) {
    try await caller.ask(
      Errand(
        endpoint: .purge(zone: request.zone.rawValue), verb: "purge the zone",
        body: request.encode()))
  }

  /// Tells of every change of another device, as the server pushes it, for as long as it is
  /// listened to.
  public func hints() -> AsyncStream<Hint> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Hint.self, bufferingPolicy: .bufferingNewest(1))
    let listening = Task { await listen { continuation.yield(Hint()) } }
    continuation.onTermination = { _ in listening.cancel() }
    return stream
  }

  /// Calls back for every hint until the task is cancelled.
  package func listen(_ hint: @Sendable () -> Void) async {
    await HintListener(caller: caller, pace: pace).run(hint)
  }
}

extension TransportKind {
  /// A Strandline server: `http://HOST[:PORT]` or `https://HOST`.
  public static var http: TransportKind {
    TransportKind(name: "http", aliases: ["https"], addressForm: "http[s]://HOST[:PORT]") {
      configuration throws(TransportError) in
      try HTTPTransport(configuration)
    }
  }
}
