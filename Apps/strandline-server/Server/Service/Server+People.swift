import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import Synchronization

// What people ask with tools such as curl: JSON, and nothing is changed by it.
extension Server {
  func run(
    _ permit: Permit, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    switch permit.endpoint {
    case .health: healthAnswer()
    case .account: accountAnswer(permit)
    case .limits: limitsAnswer()
    case .zones: try zonesAnswer(permit)
    case .changes(let zone): try changesAnswer(permit, zone, request)
    case .events: try eventsAnswer(permit, request)
    case .open: try open(permit, request, &note)
    case .send(let zone): try send(permit, to: zone, request, &note)
    case .fetch(let zone): try fetch(permit, from: zone, request, &note)
    case .receipts(let zone): try exchangeReceipts(permit, of: zone, request, &note)
    case .purge(let zone): try purge(permit, zone, request, &note)
    }
  }

  private func json(_ value: JSONValue, status: Int = 200) -> ServerAnswer {
    ServerAnswer(
      status: status, headers: ["Content-Type": HTTPAPI.json],
      body: .bytes(Array((value.text + "\n").utf8)))
  }

  /// It waits for nothing and tells only what everybody may know.
  private func healthAnswer() -> ServerAnswer {
    switch health.withLock({ $0 }) {
    case .fine: json(.object(["status": .string("ok"), "version": .string(HTTPAPI.version)]))
    case .full: json(.object(["status": .string("full")]), status: 507)
    case .failing: json(.object(["status": .string("failing")]), status: 503)
    }
  }

  private func accountAnswer(_ permit: Permit) -> ServerAnswer {
    let token = permit.token
    return json(
      .object([
        "account": .string(permit.account),
        "token": .object([
          "prefix": JSONValue(token?.prefix), "device": JSONValue(token?.device),
          "createdAt": JSONValue(token.map { Timestamp.text($0.createdAt) }),
          "expiresAt": JSONValue(token?.expiresAt.map(Timestamp.text)),
        ]),
      ]))
  }

  private func limitsAnswer() -> ServerAnswer {
    func number(_ value: Int) -> JSONValue { .integer(Int64(value)) }
    let authority = limits.authority
    return json(
      .object([
        "pageRecords": number(authority.transport.pageRecords),
        "recordBytes": number(authority.transport.recordBytes),
        "recordProperties": number(authority.recordProperties),
        "groupRecords": number(authority.groupRecords),
        "groupBytes": number(authority.groupBytes),
        "fetchedPageBytes": number(authority.pageBytes), "nameBytes": number(authority.nameBytes),
        "schemaNames": number(authority.schemaNames), "sendBytes": number(limits.sendBytes),
        "messageBytes": number(limits.messageBytes), "streamBytes": number(limits.streamBytes),
        "streamsPerAccount": number(limits.streamsPerAccount),
        "futureMilliseconds": .integer(authority.futureMilliseconds),
        "silenceMilliseconds": .integer(authority.silenceMilliseconds),
        "keepAliveMilliseconds": .integer(limits.keepAliveMilliseconds),
      ]))
  }

  private func zonesAnswer(_ permit: Permit) throws(ServerRefusal) -> ServerAnswer {
    let zones = try reading { (authority) throws(TransportError) in
      try authority.storage.zones().filter { $0.account == permit.account }
    }
    return json(
      .object([
        "zones": .array(
          zones.map { zone in
            .object([
              "zone": .string(zone.id.rawValue), "name": .string(zone.name),
              "environment": .string(zone.environment.rawValue),
              "incarnation": .integer(zone.incarnation), "sequence": .integer(zone.head),
              "purged": .bool(zone.purge != nil),
            ])
          })
      ]))
  }

  private func changesAnswer(
    _ permit: Permit, _ zone: String, _ request: ServerRequest
  ) throws(ServerRefusal) -> ServerAnswer {
    let limit = try shownChanges(request.query["limit"])
    let cursor = try cursor(request.query["after"])
    let nobody = DeviceInfo(id: DeviceID(device: 0, epoch: 0), name: "")
    let page = try reading { (authority) throws(TransportError) in
      try authority.browse(
        FetchRequest(
          device: nobody, zone: ZoneID(rawValue: zone), proof: nil, cursor: cursor, limit: limit),
        account: permit.account)
    }
    return json(ChangesJSON.value(of: page))
  }

  private func shownChanges(_ text: String?) throws(ServerRefusal) -> Int {
    guard let text else { return limits.shownChanges }
    guard let number = Int(text), (1...limits.authority.transport.pageRecords).contains(number)
    else {
      throw .invalid(
        400, "invalidRequest",
        "Could not show changes, 'limit' is no number from 1 to "
          + "\(limits.authority.transport.pageRecords).")
    }
    return number
  }

  private func cursor(_ text: String?) throws(ServerRefusal) -> Cursor? {
    guard let text, !text.isEmpty else { return nil }
    guard text.utf8.count <= 2 * MessageLimits.cursorBytes, let bytes = Hexadecimal.bytes(text)
    else {
      throw .invalid(
        400, "invalidRequest", "Could not show changes, 'after' is no cursor.",
        advice: "Give it the 'cursor' of the answer before.")
    }
    return Cursor(bytes: bytes)
  }

  private func reading<Result: Sendable>(
    _ operation: (inout Authority<Storage>) throws(TransportError) -> Result
  ) throws(ServerRefusal) -> Result {
    do {
      return try withAuthority(operation)
    } catch {
      throw ServerRefusal(error)
    }
  }
}
