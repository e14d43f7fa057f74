import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import Testing

struct AdmissionTests {
  let desk: Desk

  init() throws {
    desk = try Desk()
  }

  private func code(_ answer: ServerAnswer) throws -> String? { try answer.json["code"]?.string }

  @Test func `every answer names the server, also one that refuses`() throws {
    for answer in [desk.ask(.health), desk.ask(.account), desk.ask(.account, secret: nil)] {
      #expect(answer.headers[HTTPAPI.serverHeader] == "0123abcd")
      #expect(answer.headers[HTTPAPI.incarnationHeader] == "1")
    }
  }

  @Test func `there is nothing at an unknown path`() throws {
    for path in ["/", "/v1", "/v1/health/", "/v2/health", "/v1/zones/AB/send", "/v1/zones//send"] {
      var request = Desk.request(.health)
      request.path = path
      let answer = desk.server.answer(request)
      #expect(answer.status == 404, "\(path)")
      #expect(try code(answer) == "notFound")
    }
  }

  @Test(arguments: ["HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "POST", "get", "CONNECT"])
  func `another method is refused with the right one`(method: String) throws {
    var request = Desk.request(.account)
    request.method = method

    let answer = desk.server.answer(request)

    #expect(answer.status == 405)
    #expect(answer.headers["Allow"] == "GET")
  }

  @Test func `a token is asked for everywhere but for the health`() throws {
    let zone = "00ff"
    let endpoints: [Endpoint] = [
      .account, .limits, .zones, .open, .events, .changes(zone: zone), .send(zone: zone),
      .fetch(zone: zone), .receipts(zone: zone), .purge(zone: zone),
    ]
    for endpoint in endpoints {
      let answer = desk.ask(endpoint, secret: nil)
      #expect(answer.status == 401, "\(endpoint)")
      #expect(answer.headers["WWW-Authenticate"] == "Bearer")
    }
    #expect(desk.ask(.health, secret: nil).status == 200)
  }

  @Test func `the refusal of a token says what is wrong with it`() throws {
    desk.cabinet.addToken("token-old", account: "anna", expiresAt: desk.clock.now)
    desk.cabinet.addToken("token-lost", account: "anna")
    desk.cabinet.revoke("token-lost")
    let expected: [(String?, String)] = [
      (nil, "missing"), ("rubbish", "malformed"), ("token-guess", "unknown"),
      ("token-old", "expired"), ("token-lost", "revoked"),
    ]
    for (secret, reason) in expected {
      let answer = desk.ask(.account, secret: secret)
      #expect(answer.status == 401)
      #expect(try answer.json["context"]?["token"]?.string == reason)
      #expect(answer.note.error == "notAuthorized.\(reason)")
    }
  }

  @Test func `a header that is no bearer's is a missing or a malformed token`() throws {
    for (header, reason) in [
      ("Basic abc", "missing"), ("Bearer", "malformed"), ("Bearer a b", "malformed"),
      ("Bearer " + String(repeating: "a", count: 10_000), "malformed"), ("", "missing"),
    ] {
      var request = Desk.request(.account)
      request.headers["authorization"] = header
      let answer = desk.server.answer(request)
      #expect(answer.status == 401)
      #expect(try answer.json["context"]?["token"]?.string == reason, "\(header.prefix(20))")
    }
  }

  @Test func `an address that guesses must wait, and one with a good token need not`() throws {
    #expect(desk.ask(.account).status == 200)
    for number in 0..<ServerLimits().guesses {
      #expect(desk.ask(.account, secret: "token-\(number)").status == 401)
    }

    let answer = desk.ask(.account, secret: "token-more")

    #expect(answer.status == 429)
    #expect(answer.headers["Retry-After"] == "60")
    #expect(desk.ask(.account).status == 200)
    desk.clock.advance(by: 60_000)
    #expect(desk.ask(.account, secret: "token-more").status == 401)
  }

  @Test func `a right guess is not let through the brake`() throws {
    for number in 0..<ServerLimits().guesses {
      #expect(desk.ask(.account, secret: "token-\(number)").status == 401)
    }
    #expect(desk.ask(.account).status == 429)
    var elsewhere = Desk.request(.account)
    elsewhere.remoteAddress = "127.0.0.2"
    #expect(desk.server.answer(elsewhere).status == 200)
  }

  @Test func `a network of one person counts as one address`() {
    for number in 0..<ServerLimits().guesses {
      var request = Desk.request(.account, secret: "token-\(number)")
      request.remoteAddress = "2001:db8::\(number)"
      #expect(desk.server.answer(request).status == 401)
    }
    for (address, status) in [
      ("2001:db8:0:0:1::9", 429), ("2001:db8:0:1::1", 401), ("10.0.0.1", 401),
    ] {
      var request = Desk.request(.account, secret: "token-more")
      request.remoteAddress = address
      #expect(desk.server.answer(request).status == status, "\(address)")
    }
  }

  @Test func `a message must be announced as CBOR and must not be encoded`() throws {
    for type in [nil, "application/json", "text/plain", "application/cbor2", ""] {
      var request = Desk.request(.open)
      request.headers["content-type"] = type
      #expect(desk.server.answer(request).status == 415, "\(type ?? "none")")
    }
    for encoding in ["gzip", "deflate, gzip", "br", "identity, gzip", "x-unknown"] {
      var request = Desk.request(.open)
      request.headers["content-encoding"] = encoding
      let answer = desk.server.answer(request)
      #expect(answer.status == 415, "\(encoding)")
      #expect(answer.headers["Accept-Encoding"] == "identity")
    }
    var request = Desk.request(.open)
    request.headers["content-type"] = "Application/CBOR; charset=binary"
    #expect(desk.server.answer(request).status == 400)
  }

  @Test func `a body beyond the limit of its endpoint is refused by its announced length`() throws {
    let limits = ServerLimits()
    for (endpoint, limit) in [
      (Endpoint.send(zone: "aa"), limits.sendBytes), (.open, limits.messageBytes), (.account, 0),
    ] {
      let request = Desk.request(endpoint)
      #expect(desk.server.refusal(ofHead: request, bodyBytes: limit)?.status == nil)
      let refusal = try #require(desk.server.refusal(ofHead: request, bodyBytes: limit + 1))
      #expect(refusal.status == 413)
      #expect(try refusal.json["remedy"]?.string == "split")
    }
  }

  @Test func `a server on loopback answers to the names of this machine alone`() throws {
    let hosts = HostCheck(
      listeningAt: ListenAddress(host: "127.0.0.1", port: 8321), names: ["box.example"])
    let desk = try Desk(hosts: hosts)
    for host in [
      "localhost", "LOCALHOST:8321", "127.0.0.1:8321", "[::1]:1", "[::1]", "box.example",
      "localhost.",
    ] {
      var request = Desk.request(.health)
      request.headers["host"] = host
      #expect(desk.server.answer(request).status == 200, "\(host)")
    }
    for host in [
      "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8321", "", "localhost:x",
      "localhost:", "[::2]", "::1", "0.0.0.0",
    ] {
      var request = Desk.request(.health)
      request.headers["host"] = host
      #expect(desk.server.answer(request).status == 421, "\(host)")
    }
  }

  @Test func `a server that others can reach answers to any name unless it is given some`() {
    let address = ListenAddress(host: "0.0.0.0", port: 1)
    #expect(HostCheck(listeningAt: address, names: []).passes("anything"))
    #expect(!HostCheck(listeningAt: address, names: ["one.example"]).passes("anything"))
    #expect(HostCheck(listeningAt: address, names: ["one.example"]).passes("one.example:80"))
  }
}
