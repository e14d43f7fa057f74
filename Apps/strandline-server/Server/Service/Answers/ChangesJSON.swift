import Foundation
import StrandlineModels
import StrandlineTransport

/// A page of changes as people read it.
enum ChangesJSON {
  /// The page, whose cursor goes back into the next request as it stands.
  static func value(of page: FetchPage) -> JSONValue {
    .object([
      "changes": .array(page.changes.map(change)),
      "conflicts": .array(page.conflicts.map(conflict)),
      "cursor": .string(Hexadecimal.text(page.cursor.bytes)),
      "headReached": .bool(page.headReached),
      "incarnation": .integer(page.proof.incarnation),
      "sequence": .integer(page.proof.sequence),
      "uploading": .array(page.uploading.map(JSONValue.string)),
    ])
  }

  private static func change(_ change: FetchedChange) -> JSONValue {
    let delta = change.delta
    var members: [JSONValue.Member] = [
      .init("entity", .string(delta.key.entity)),
      .init("id", .string(delta.key.id.description)),
      .init("device", .string(change.device.description)),
    ]
    if let birth = delta.birth { members.append(.init("born", .integer(birth.rawValue))) }
    if let death = delta.death {
      members.append(
        .init(
          "died",
          .object([
            "life": .integer(death.life.rawValue), "stamp": .integer(death.stamp.rawValue),
          ])))
    }
    if !delta.versions.isEmpty {
      let versions = delta.versions.sorted { $0.key < $1.key }
      members.append(
        .init("values", .object(versions.map { .init($0.key, value($0.value.value)) })))
      members.append(
        .init("stamps", .object(versions.map { .init($0.key, .integer($0.value.stamp.rawValue)) })))
    }
    return .object(members)
  }

  private static func conflict(_ conflict: ConflictEntry) -> JSONValue {
    .object([
      "entity": .string(conflict.key.entity), "id": .string(conflict.key.id.description),
      "property": .string(conflict.property), "lost": value(conflict.loser.value),
      "stamp": .integer(conflict.loser.stamp.rawValue),
      "device": .string(conflict.device.description),
    ])
  }

  /// Bytes stand as an object with their base64, which no text can be taken for.
  private static func value(_ value: Value) -> JSONValue {
    switch value {
    case .null: .null
    case .integer(let integer): .integer(integer)
    case .real(let real): .number(real)
    case .text(let text): .string(text)
    case .blob(let bytes): .object(["base64": .string(Data(bytes).base64EncodedString())])
    }
  }
}
