import StrandlineHTTPProtocol
import StrandlineModels
import StrandlineTransport
import Testing

struct ErrorBodyTests {
  static let remedies: [TransportError.Remedy] = [
    .retry(afterMilliseconds: nil), .retry(afterMilliseconds: 1500), .waitForAccount,
    .compareAll, .split, .fixClock, .ask, .stop,
  ]

  @Test(arguments: remedies)
  func `an error comes back as it was`(_ remedy: TransportError.Remedy) throws {
    let error = TransportError(
      .throttled, "Could not do it.", advice: "Wait.", remedy: remedy, context: ["a": "b"])
    let text = ErrorBody(error).json.text
    let read = try #require(ErrorBody(try JSONValue(parsing: text))).error
    #expect(read.code == .throttled)
    #expect(read.message == "Could not do it.")
    #expect(read.advice == "Wait.")
    #expect(read.remedy == remedy)
    #expect(read.context == ["a": "b"])
  }

  @Test func `C15: a server's time and bound come along, and nonsense in their place is none`()
    throws
  {
    func read(_ context: [String: String]) throws -> TransportError {
      let error = TransportError(.clockSkew, "m", remedy: .fixClock, context: context)
      return try #require(ErrorBody(try JSONValue(parsing: ErrorBody(error).json.text))).error
    }
    let error = try read(
      TransportError.clockContext(aheadBy: 5, now: 1_800_000_000_000, bound: 300_000))
    #expect(error.serverTime == 1_800_000_000_000)
    #expect(error.stampBound == 300_000)
    for text in ["", "soon", "-1", "9223372036854775807", "1e3"] {
      let error = try read(["zoneMilliseconds": text, "boundMilliseconds": text])
      #expect(error.serverTime == nil && error.stampBound == nil)
    }
  }

  @Test func `a remedy of a later version is a question to the person`() throws {
    let json = try JSONValue(parsing: #"{"code":"new","message":"m","remedy":"dance"}"#)
    #expect(ErrorBody(json)?.error.remedy == .ask)
  }

  @Test(arguments: [
    #"{}"#, #"[]"#, #""code""#, #"{"code":1,"message":"m","remedy":"stop"}"#,
    #"{"code":"a","remedy":"stop"}"#,
  ])
  func `what is no error body is none`(_ text: String) throws {
    #expect(ErrorBody(try JSONValue(parsing: text)) == nil)
  }

  @Test func `texts of a server cannot steer a terminal or fill a screen`() throws {
    let long = String(repeating: "x", count: 10_000)
    let json = JSONValue.object([
      "code": .string("a"), "message": .string("\u{1B}[2Jred\u{202E}" + long),
      "remedy": .string("retry"), "retryAfterMilliseconds": .integer(.max),
    ])
    let error = try #require(ErrorBody(json)).error
    #expect(error.message.hasPrefix("\u{FFFD}[2Jred\u{FFFD}x"))
    #expect(error.message.unicodeScalars.count == 2000)
    #expect(error.remedy == .retry(afterMilliseconds: 86_400_000))
  }

  @Test func `a delay is told in whole seconds and never too short`() {
    func seconds(_ milliseconds: Int64?) -> Int64? {
      ErrorBody(
        TransportError(.throttled, "", remedy: .retry(afterMilliseconds: milliseconds))
      ).retryAfterSeconds
    }
    #expect(seconds(nil) == nil)
    #expect(seconds(0) == 1)
    #expect(seconds(1001) == 2)
    #expect(seconds(60_000) == 60)
  }
}
