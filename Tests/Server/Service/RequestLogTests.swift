import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineServer
import StrandlineTestSupport
import StrandlineTransport
import Testing

struct RequestLogTests {
  @Test func `a line tells who asked what and how it went, and nothing else`() throws {
    let desk = try Desk()
    let zone = try desk.open().zone
    let page = desk.page(1, to: zone, [Fact.note("a", "very private")])
    let request = Desk.request(.send(zone: zone.rawValue), page.encode())
    let answer = desk.server.answer(request)

    let line = RequestLog.line(
      request, bytesIn: request.body.count, answer, microseconds: 420, at: 0)

    let json = try JSONValue(parsing: line)
    #expect(json["time"]?.string == "1970-01-01T00:00:00.000Z")
    #expect(json["method"]?.string == "POST")
    #expect(json["endpoint"]?.string == "send")
    #expect(json["status"]?.integer == 200)
    #expect(json["bytesIn"]?.integer == Int64(request.body.count))
    #expect(json["microseconds"]?.integer == 420)
    #expect(json["account"]?.string == "anna")
    #expect(json["device"]?.string == Desk.info(1).id.description)
    #expect(!line.contains("private"))
    #expect(!line.contains(Desk.secret))
    #expect(!line.contains(zone.rawValue))
  }

  @Test func `what the asker chooses cannot begin a line of its own`() throws {
    let desk = try Desk()
    var request = Desk.request(.account, secret: "token-x")
    request.method = "GET\n{\"status\":200}"
    request.remoteAddress = "\u{1B}[31m\r\n"
    let answer = desk.server.answer(request)

    let line = RequestLog.line(request, bytesIn: 0, answer, microseconds: 1, at: 0)

    #expect(line.filter(\.isNewline).count == 1)
    #expect(line.utf8.allSatisfy { $0 == 0x0A || 0x20...0x7E ~= $0 })
    #expect(try JSONValue(parsing: line)["status"]?.integer == 405)
  }

  @Test func `lines go to a file that only its owner may read`() throws {
    let folder = try TemporaryFolder()
    let desk = try Desk()
    let log = try RequestLog(file: folder.path("log"), clock: desk.clock.wall)
    let request = Desk.request(.health)

    for _ in 0..<3 {
      log.record(request, bytesIn: 0, desk.server.answer(request), microseconds: 1)
    }
    log.end()

    #expect(try folder.read("log").split(separator: "\n").count == 3)
  }
}
