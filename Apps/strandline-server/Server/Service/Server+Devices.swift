import StrandlineAuthority
import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import StrandlineWireFormat
import Synchronization

// What devices ask: a message in, a message out, and the authority between.
extension Server {
  func open(
    _ permit: Permit, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    let message = try decode(OpenRequest.self, request.body)
    note.device = message.device.id.description
    let found = try writing { (server) throws(TransportError) in
      try server.withAuthority { (authority) throws(TransportError) in
        try authority.open(message, account: permit.account)
      }
    } reading: { (server) throws(TransportError) in
      // While nothing can be written a device that is known here can still read.
      try server.withAuthority { (authority) throws(TransportError) in
        try authority.describe(message, account: permit.account)
      }
    }
    if found.wasCreated {
      hub.tell(found.zone, of: permit.account, proof: found.proof, by: note.device)
    }
    return encode(found)
  }

  func send(
    _ permit: Permit, to zone: String, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    let message = try decode(SendPage.self, request.body)
    note.device = message.device.id.description
    try check(message.zone, is: zone)
    let answer = try writing { (server) throws(TransportError) in
      try server.withAuthority { (authority) throws(TransportError) in
        try authority.send(message, account: permit.account)
      }
    }
    if let acceptance = answer.acceptance {
      // Only what was really written proves that there is space.
      health.withLock { $0 = .fine }
      hub.tell(message.zone, of: permit.account, proof: acceptance.proof, by: note.device)
    }
    return encode(answer)
  }

  func fetch(
    _ permit: Permit, from zone: String, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    let message = try decode(FetchRequest.self, request.body)
    note.device = message.device.id.description
    try check(message.zone, is: zone)
    return encode(
      try writing { (server) throws(TransportError) in
        try server.withAuthority { (authority) throws(TransportError) in
          try authority.fetch(message, account: permit.account)
        }
      } reading: { (server) throws(TransportError) in
        try server.withAuthority { (authority) throws(TransportError) in
          try authority.browse(message, account: permit.account)
        }
      })
  }

  func exchangeReceipts(
    _ permit: Permit, of zone: String, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    let message = try decode(Receipt.self, request.body)
    note.device = message.device.id.description
    try check(message.zone, is: zone)
    return encode(
      DeviceReports(
        try writing { (server) throws(TransportError) in
          try server.withAuthority { (authority) throws(TransportError) in
            try authority.exchangeReceipts(message, account: permit.account)
          }
        }))
  }

  func purge(
    _ permit: Permit, _ zone: String, _ request: ServerRequest, _ note: inout AnswerNote
  ) throws(ServerRefusal) -> ServerAnswer {
    let message = try decode(PurgeRequest.self, request.body)
    note.device = message.device.id.description
    try check(message.zone, is: zone)
    try writing { (server) throws(TransportError) in
      try server.withAuthority { (authority) throws(TransportError) in
        try authority.purge(message, account: permit.account)
      }
    }
    hub.tellPurge(message.zone, of: permit.account, by: note.device)
    return ServerAnswer(status: 204)
  }
}

extension Server {
  private func decode<Request: Message>(
    _ type: Request.Type, _ bytes: [UInt8]
  ) throws(ServerRefusal) -> Request {
    do {
      return try Request(decoding: bytes)
    } catch {
      // Their advice speaks of files; whoever sends this is a program.
      let code =
        error.code == .newerFormat ? TransportError.Code.incompatibleVersion : .invalidRequest
      throw ServerRefusal(
        error.code == .newerFormat ? 501 : 400,
        TransportError(
          code, error.message, remedy: .stop,
          context: ["byte": String(error.position), "reason": error.codeName]))
    }
  }

  private func encode(_ message: some Message) -> ServerAnswer {
    ServerAnswer(
      status: 200, headers: ["Content-Type": HTTPAPI.cbor], body: .bytes(message.encode()))
  }

  private func check(_ zone: ZoneID, is path: String) throws(ServerRefusal) {
    guard zone.rawValue == path else {
      throw .invalid(
        400, "invalidRequest",
        "Could not serve the request, its message names another zone than its path.")
    }
  }

  /// Runs an operation that writes; one that finds no space is done without writing where that
  /// answers it too.
  private func writing<Result: Sendable>(
    _ operation: (Server) throws(TransportError) -> Result,
    reading: ((Server) throws(TransportError) -> Result?)? = nil
  ) throws(ServerRefusal) -> Result {
    do {
      return try operation(self)
    } catch {
      guard error.code == .quota, let reading else { throw ServerRefusal(error) }
      do {
        if let result = try reading(self) { return result }
      } catch {
        throw ServerRefusal(error)
      }
      throw ServerRefusal(error)
    }
  }
}
