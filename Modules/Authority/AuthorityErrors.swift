import Foundation
import StrandlineModels
import StrandlineTransport

// The wording of everything that an authority refuses, in one place.
extension TransportError {
  static func noSuchZone(_ id: ZoneID) -> TransportError {
    TransportError(
      .zoneNotFound, "Could not use the zone, this account has none with its id.",
      advice: "Check the account, or follow the zone anew.", remedy: .ask,
      context: ["zone": id.rawValue])
  }

  static func replaced(_ found: Zone) -> TransportError {
    TransportError(
      .zoneReplaced, "Could not open zone '\(found.name)', another zone has taken its place.",
      advice: "Keep the data on this device only, upload it to the new zone, or switch to it.",
      remedy: .ask, context: ["found": found.id.rawValue])
  }

  static func purged(_ zone: Zone, _ note: PurgeNote) -> TransportError {
    let time = Date(timeIntervalSince1970: Double(note.at) / 1000).formatted(.iso8601)
    return TransportError(
      .zonePurged,
      "Could not use zone '\(zone.name)', device '\(note.device.name)' purged it at \(time).",
      advice: "Keep the data on this device only, or upload it again.", remedy: .ask,
      context: [
        "zone": zone.id.rawValue, "device": note.device.id.description,
        "deviceName": note.device.name, "at": String(note.at),
      ])
  }

  static func restored(_ zone: Zone) -> TransportError {
    TransportError(
      .zoneRestored,
      "Could not go on in zone '\(zone.name)', it was put back to an earlier state.",
      advice: "Everything is compared with it; nothing needs to be done.", remedy: .compareAll,
      context: ["zone": zone.id.rawValue, "incarnation": String(zone.incarnation)])
  }

  static func expired(_ zone: Zone) -> TransportError {
    TransportError(
      .cursorExpired,
      "Could not go on in zone '\(zone.name)', it no longer holds what came after the cursor.",
      advice: "Everything is compared with it; nothing needs to be done.", remedy: .compareAll,
      context: ["zone": zone.id.rawValue, "fence": String(zone.fence)])
  }

  static func damagedCursor(_ zone: Zone) -> TransportError {
    TransportError(
      .damaged, "Could not read the cursor, its bytes make no sense.",
      advice: "Everything is compared with the zone; nothing needs to be done.",
      remedy: .compareAll, context: ["zone": zone.id.rawValue])
  }

  static func damagedZone(_ zone: Zone, _ advice: AuthorityAdvice) -> TransportError {
    TransportError(
      .damaged, "Could not read zone '\(zone.name)', its newest commit is missing.",
      advice: advice.damagedZone, remedy: .stop,
      context: ["zone": zone.id.rawValue, "head": String(zone.head)])
  }

  static func unknown(
    entity: String, property: String?, isNewEntity: Bool, _ advice: AuthorityAdvice
  ) -> TransportError {
    let what: String
    if let property, !isNewEntity {
      what = "property '\(property)' of entity '\(entity)'"
    } else if let property {
      what = "entity '\(entity)' with property '\(property)'"
    } else {
      what = "entity '\(entity)'"
    }
    return TransportError(
      .schemaRefused, "Could not take the records, production does not know \(what).",
      advice: advice.deploySchema, remedy: .ask,
      context: ["entity": entity].merging(property.map { ["property": $0] } ?? [:]) { $1 })
  }

  static func clockSkew(
    aheadBy milliseconds: Int64, now: Int64, bound: Int64
  ) -> TransportError {
    let amount = Duration.milliseconds(milliseconds).formatted(
      .units(allowed: [.days, .hours, .minutes, .seconds], width: .wide, maximumUnitCount: 2))
    return TransportError(
      .clockSkew,
      "Could not take the changes, one of them is stamped \(amount) ahead of the zone's clock.",
      advice: "Set this device's clock.", remedy: .fixClock,
      context: clockContext(aheadBy: milliseconds, now: now, bound: bound))
  }

  static func brokenGroup(_ group: StagedGroup) -> TransportError {
    TransportError(
      .invalidRequest, "Could not take the group, its pages do not add up to what it announced.",
      advice: "It is sent again from its first page.", remedy: .retry(afterMilliseconds: nil),
      context: [
        "announced": String(group.header.recordCount), "arrived": String(group.recordCount),
        "pages": String(group.pages.count),
      ])
  }

  static func tooManyRecords(_ limits: AuthorityLimits) -> TransportError {
    TransportError(
      .tooLarge, "Could not take the page, it or its group is larger than the zone takes.",
      advice: "It is sent in smaller portions.", remedy: .split,
      context: [
        "pageRecords": String(limits.transport.pageRecords),
        "groupRecords": String(limits.groupRecords), "groupBytes": String(limits.groupBytes),
      ])
  }

  static func invalid(_ message: String) -> TransportError {
    TransportError(.invalidRequest, message, remedy: .stop)
  }
}
