import StrandlineModels

/// One entity of the model that random histories are about, with the values they write.
struct HistoryShape {
  let name: String
  let ids: [RecordID]
  let defaults: [String: Value]
  /// The values that are written; with so few, equal and nearly equal ones meet often.
  let choices: [String: [Value]]
  var isIdentityKeyed = false

  /// The properties that may be written after the insert.
  var editable: [String] { choices.keys.sorted() }

  static let all = [
    HistoryShape(
      name: "Node",
      ids: [RecordID(text: "n1"), RecordID(text: "N1"), RecordID(bytes: Array(0..<16))],
      defaults: ["a": .integer(0), "b": .text(""), "d": .null],
      choices: [
        "a": [.integer(0), .integer(1), .integer(-1), .null, .text("x"), .real(1.5)],
        "b": [.text(""), .text("x"), .text("X"), .text("e\u{301}"), .text("\u{E9}"), .null],
        "d": [.null, .integer(1), .real(1), .text("1"), .blob([0x31]), .blob([])],
      ]),
    HistoryShape(
      name: "Leaf", ids: [RecordID(text: "l1"), RecordID(text: "l2")],
      defaults: ["n": .integer(7), "node": .null],
      choices: ["n": [.integer(7), .integer(8)], "node": []]),
    HistoryShape(
      name: "Note", ids: [RecordID(text: "o1"), RecordID(text: "o2")],
      defaults: ["n": .integer(7), "node": .null],
      choices: ["n": [.integer(7), .integer(8)], "node": []]),
    HistoryShape(
      name: "Pref", ids: [RecordID(text: "p1"), RecordID(text: "p2")],
      defaults: ["k": .text(""), "v": .text("")],
      choices: ["v": [.text(""), .text("x"), .text("y")]], isIdentityKeyed: true),
  ]

  static func of(_ name: String) -> HistoryShape {
    all.first { $0.name == name }
      ?? HistoryShape(name: name, ids: [], defaults: [:], choices: [:])
  }

  /// What an earlier model does not have.
  struct Missing: Hashable, Sendable {
    var entities: Set<String> = []
    /// Properties by entity.
    var properties: [String: Set<String>] = [:]

    func hides(_ property: String, of entity: String) -> Bool {
      properties[entity]?.contains(property) == true
    }
  }

  /// The latest model and some earlier ones.
  static let models = [
    Missing(), Missing(properties: ["Node": ["d"]]), Missing(entities: ["Note"]),
    Missing(entities: ["Note"], properties: ["Node": ["a", "d"], "Leaf": ["n"]]),
  ]

  /// The model file without what is missing.
  static func modelFile(without missing: Missing) throws -> String {
    var file = try JSONValue(parsing: modelFile)
    for (entity, properties) in missing.properties {
      for property in properties {
        file.remove(["entities", entity, "attributes", property])
      }
    }
    for entity in missing.entities { file.remove(["entities", entity]) }
    return file.text
  }

  static let modelFile = """
    {"entities": {
      "Node": {"attributes": {
        "a": {"type": "integer", "default": 0}, "b": {"type": "text", "default": ""},
        "d": {"type": "data", "optional": true}}},
      "Leaf": {"attributes": {"n": {"type": "integer", "default": 7}}, "relationships": {
        "node": {"to": "Node", "inverse": "leaves", "onDelete": "cascade"}}},
      "Note": {"attributes": {"n": {"type": "integer", "default": 7}}, "relationships": {
        "node": {"to": "Node", "inverse": "notes", "onDelete": "nullify"}}},
      "Pref": {"attributes": {
        "k": {"type": "text", "default": ""}, "v": {"type": "text", "default": ""}},
        "identity": ["k"]}
    }}
    """
}

extension JSONValue {
  /// Removes what stands at the end of a path of names.
  fileprivate mutating func remove(_ path: [String]) {
    guard let members, let name = path.first else { return }
    self = .object(
      members.compactMap { member in
        guard member.name == name else { return member }
        guard path.count > 1 else { return nil }
        var value = member.value
        value.remove(Array(path.dropFirst()))
        return Member(name, value)
      })
  }
}
