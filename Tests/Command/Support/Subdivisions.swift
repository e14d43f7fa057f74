import Foundation
import StrandlineModels
import StrandlineTestSupport

/// The subdivisions of ISO 3166-2 as the package iso-codes has them.
struct Subdivisions {
  struct Row: Sendable {
    let code: String
    let name: String
    let type: String
    let parent: String?
  }

  static let path = "/usr/share/iso-codes/json/iso_3166-2.json"
  static let model = BuiltProgram.fixture("subdivisions.model.json")
  /// How many there are in iso-codes 4.15, the version of Debian 12.
  static let count = 5127

  let rows: [Row]

  init() throws {
    guard let text = FileManager.default.contents(atPath: Self.path) else {
      throw SetupError(
        description: "Could not read \(Self.path). Run apt-get install iso-codes.")
    }
    let json = try JSONValue(parsing: String(decoding: text, as: UTF8.self))
    rows = (json["3166-2"]?.elements ?? []).map { row in
      Row(
        code: row["code"]?.string ?? "", name: row["name"]?.string ?? "",
        type: row["type"]?.string ?? "", parent: row["parent"]?.string)
    }
    guard rows.count == Self.count, !rows.contains(where: { $0.code.isEmpty || $0.name.isEmpty })
    else {
      throw SetupError(
        description: "Could not use \(Self.path), it has \(rows.count) rows where iso-codes 4.15 "
          + "has \(Self.count).")
    }
  }

  /// What the sqlite3 shell must show, byte for byte, in the order of the codes.
  func dump(renamed names: [String: String] = [:], without gone: Set<String> = []) -> String {
    rows.filter { !gone.contains($0.code) }
      .sorted { Array($0.code.utf8).lexicographicallyPrecedes(Array($1.code.utf8)) }
      .map { row in
        let texts = [row.code, names[row.code] ?? row.name, row.type].map(Self.quoted)
        return "'Subdivision'," + texts.joined(separator: ",") + ","
          + (row.parent.map(Self.quoted) ?? "NULL")
      }.joined(separator: "\n")
  }

  /// The first rows as an import file, with a mark behind every name.
  func slice(_ count: Int, mark: String) -> String {
    JSONValue.array(
      rows.prefix(count).map { row in
        .object([
          "code": .string(row.code), "name": .string(row.name + mark), "type": .string(row.type),
          "parent": JSONValue(row.parent),
        ])
      }
    ).text
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "''") + "'"
  }
}
