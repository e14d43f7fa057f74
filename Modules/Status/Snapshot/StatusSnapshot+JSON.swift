public import StrandlineModels
import StrandlineStorage

extension StatusSnapshot {
  /// The snapshot as the documented JSON of the command line.
  public var json: JSONValue {
    .object(place + counts + seen)
  }

  private var place: [JSONValue.Member] {
    [
      .init("device", .string(device)), .init("peer", .string(peer)),
      .init("phase", .string(phase.name)), .init("standing", .string(standing.rawValue)),
      .init("asOf", Self.time(asOf)), .init("until", Self.time(until)),
      .init("reason", JSONValue(reason)), .init("cure", JSONValue(cure)),
      .init("question", question?.json ?? .null),
      .init(
        "pending",
        .object([
          "total": .integer(Int64(pending)), "oldest": Self.time(oldestPending),
          "byEntity": .object(
            pendingByEntity.sorted { $0.key < $1.key }
              .map { .init($0.key, .integer(Int64($0.value))) }),
        ])),
    ]
  }

  private var counts: [JSONValue.Member] {
    [
      .init("setAside", .integer(Int64(setAside))), .init("orphans", .integer(Int64(orphans))),
      .init("heldDeletes", .integer(Int64(heldDeletes))),
      .init("conflicts", .integer(Int64(conflicts))), .init("parked", .integer(Int64(parked))),
      .init("catchingUp", .bool(isCatchingUp)),
      .init("waitingFor", .array(waitingFor.map(JSONValue.string))),
      .init("notices", .array(notices.map(JSONValue.string))),
      .init("acknowledgement", .string(isPublished ? "inTheFolder" : "stored")),
      .init(
        "receipts",
        .object([
          "devices": .integer(Int64(receipts.devices)),
          "complete": .integer(Int64(receipts.complete)),
        ])),
    ]
  }

  private var seen: [JSONValue.Member] {
    [
      .init("lastSuccessfulActivity", Self.time(lastSuccessfulActivity)),
      .init(
        "switch",
        .object([
          "wanted": .bool(isWanted), "active": .bool(isActive),
          "pendingPurge": .bool(isPurgePending), "automatic": .bool(isAutomatic),
          "purgeReason": JSONValue(purge?.reason), "purgeUntil": Self.time(purge?.until),
        ])),
      .init("reasonCode", JSONValue(reasonCode)),
      .init("deferred", JSONValue(deferral?.rawValue)),
      .init("firstLaunch", .string(firstLaunch.rawValue)),
      .init(
        "activities", .object(activities.map { .init($0.kind.rawValue, Self.json($0)) })),
    ]
  }

  private static func json(_ activity: Activity) -> JSONValue {
    .object([
      "outcome": .string(activity.outcome.rawValue), "start": time(activity.start),
      "end": time(activity.end), "lastSuccess": time(activity.lastSuccess),
      "error": activity.errorCode.map {
        .object([
          "code": .string($0), "message": JSONValue(activity.errorMessage),
          "recovery": JSONValue(activity.errorAdvice),
        ])
      } ?? .null,
    ])
  }

  private static func time(_ milliseconds: Int64?) -> JSONValue {
    milliseconds.map { .string(Timestamp.text($0)) } ?? .null
  }
}
