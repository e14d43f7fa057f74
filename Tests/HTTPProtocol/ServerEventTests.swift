import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import Testing

struct ServerEventTests {
  private func read(_ text: String, portions: Int = .max) -> [ServerEvent] {
    var reader = ServerEventReader()
    var events: [ServerEvent] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      events += reader.read(rest.prefix(portions))
      rest = rest.dropFirst(portions)
    }
    return events
  }

  static let stream =
    "\u{FEFF}: welcome\n\nid: 7\nevent: change\ndata: a\r\ndata:  b\r\rdata: żółć\n\ndata\n\nid: 9\n\ndata: cut"

  @Test(arguments: 1...12)
  func `events are the same however their bytes are cut`(portions: Int) {
    let expected = [
      ServerEvent(name: "change", id: "7", data: "a\n b"),
      ServerEvent(name: "message", id: "7", data: "żółć"),
      ServerEvent(name: "message", id: "7", data: ""),
    ]
    #expect(read(Self.stream, portions: portions) == expected)
  }

  @Test func `an event that is too long is left out and the next one is read`() {
    var reader = ServerEventReader(bound: 100)
    let long = "data: " + String(repeating: "x", count: 5000) + "\n\n"
    let lines = String(repeating: "data: x\n", count: 500) + "\n"
    #expect(reader.read((long + lines).utf8).isEmpty)
    #expect(reader.read("data: ok\n\n".utf8).map(\.data) == ["ok"])
  }

  @Test func `a hint comes back as it was written`() throws {
    for device in [nil, "0000000000000001-00000002"] {
      let hint = HintEvent(
        number: 42, zone: ZoneID(rawValue: "0a"), incarnation: 3, sequence: 99, device: device)
      let event = try #require(read(hint.text).first)
      #expect(HintEvent(event) == hint)
    }
  }

  @Test(arguments: [
    ServerEvent(name: "other", data: #"{"zone":"0a","incarnation":1,"sequence":1}"#),
    ServerEvent(name: "change", data: "no JSON"),
    ServerEvent(name: "change", data: #"{"zone":"0a"}"#),
  ])
  func `another event is no hint`(_ event: ServerEvent) {
    #expect(HintEvent(event) == nil)
  }
}
