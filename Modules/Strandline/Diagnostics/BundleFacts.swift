import StrandlineModels
import StrandlineStatus
import StrandlineStorage

/// What a bundle tells, without anything that was taken out.
struct BundleFacts: Sendable {
  /// One activity.
  struct Event: Sendable {
    let kind: String
    let peer: String
    let start: Int64
    let end: Int64?
    let outcome: StatusSnapshot.Activity.Outcome
    let records: Int
    let code: String?
    let detail: String?
  }

  /// That another device reported to a peer what it holds.
  struct Report: Sendable {
    let peer: String
    let device: String
    let time: Int64
  }

  /// One thing that a checkup looked at.
  struct Finding: Sendable {
    let name: String
    let level: String
    let message: String
    let cure: String
  }

  let time: Int64
  let deviceName: String
  var versions = JSONValue.null
  var configuration: JSONValue?
  var status = JSONValue.null
  var counts = JSONValue.null
  var snapshots: [StatusSnapshot] = []
  /// The oldest first.
  var events: [Event] = []
  var reports: [Report] = []
  var findings: [Finding] = []
  /// The codes of the parts that could not be read.
  var unread: [String: String] = [:]

  var eventsJSON: JSONValue {
    .array(
      events.map { event in
        .object([
          "kind": .string(event.kind), "peer": .string(event.peer),
          "start": .string(Timestamp.text(event.start)),
          "end": event.end.map { .string(Timestamp.text($0)) } ?? .null,
          "outcome": .string(event.outcome.rawValue),
          "records": .integer(Int64(event.records)), "code": JSONValue(event.code),
          "detail": JSONValue(event.detail),
        ])
      })
  }

  var checkupJSON: JSONValue {
    .array(
      findings.map {
        .object([
          "name": .string($0.name), "level": .string($0.level), "message": .string($0.message),
          "cure": .string($0.cure),
        ])
      })
  }
}
