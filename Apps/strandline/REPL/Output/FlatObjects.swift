import StrandlineModels

/// JSON objects as rows, for the modes that show columns.
///
/// An object's only member is what it is about, so its members are the columns. Objects inside
/// give columns such as `pending.total`, and lists of plain values stand in one cell.
enum FlatObjects {
  /// The rows of objects; a column that an object does not have is null there.
  static func table(_ objects: [JSONValue]) -> ResultTable {
    let rows = objects.map(cells)
    var seen: Set<String> = []
    let columns = rows.flatMap { $0.map(\.name) }.filter { seen.insert($0).inserted }
    return ResultTable(
      columns: columns,
      rows: rows.map { row in
        let values = Dictionary(row.map { ($0.name, $0.value) }) { first, _ in first }
        return columns.map { values[$0] ?? .null }
      })
  }

  private static func cells(_ object: JSONValue) -> [JSONValue.Member] {
    guard let members = object.members else { return [.init("value", object)] }
    if members.count == 1, let inner = members[0].value.members { return flat(inner, "") }
    return flat(members, "")
  }

  private static func flat(
    _ members: [JSONValue.Member], _ prefix: String
  ) -> [JSONValue.Member] {
    members.flatMap { member -> [JSONValue.Member] in
      let name = prefix + member.name
      switch member.value {
      // The fields of a record are what it is about.
      case .object(let inner) where name == "fields": return flat(inner, "")
      case .object(let inner) where inner.isEmpty: return [.init(name, .null)]
      case .object(let inner): return flat(inner, name + ".")
      case .array(let elements) where elements.allSatisfy({ $0.members == nil }):
        let text = elements.map(ResultTable.plainText).joined(separator: ", ")
        return [.init(name, elements.isEmpty ? .null : .string(text))]
      default: return [.init(name, member.value)]
      }
    }
  }
}
