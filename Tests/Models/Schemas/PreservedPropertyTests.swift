import StrandlineModels
import Testing

/// Which properties' earlier values history keeps.
@Suite struct PreservedPropertyTests {
  private struct Draft: Model {
    var id = RecordID()
    var title = ""
    var body = ""
    var parent: Reference<Draft>?

    static let layout = ModelLayout(
      relationships: [.toOne("parent", inverse: "children")], preserved: ["title", "parent"])
  }

  private struct Misspelt: Model {
    var id = RecordID()
    var title = ""

    static let layout = ModelLayout(preserved: ["titel"])
  }

  @Test func `a type and a model file ask for the same`() throws {
    let typed = try Schema([Draft.self])
    let read = try Schema(parsing: typed.modelFile.text)

    #expect(read == typed)
    #expect(typed["Draft"]?.properties.filter(\.isPreserved).map(\.name) == ["title", "parent"])
    #expect(typed.modelFile.text.contains("\"preserve\":true"))
  }

  @Test func `the flag makes another schema, and the same keys on the wire`() throws {
    let plain = try Schema(
      parsing: #"{"entities": {"A": {"attributes": {"x": {"type": "text", "default": ""}}}}}"#)
    let asking = try Schema(
      parsing: #"""
        {"entities": {"A": {"attributes":
          {"x": {"type": "text", "default": "", "preserve": true}}}}}
        """#)

    #expect(plain != asking)
    #expect(plain.syncedKeys == asking.syncedKeys)
    #expect(!plain.modelFile.text.contains("preserve"))
  }

  @Test func `what is no column cannot be preserved`() {
    let typed = #expect(throws: SchemaError.self) { try Schema([Misspelt.self]) }
    let many = #expect(throws: SchemaError.self) {
      try Schema(
        parsing: #"""
          {"entities": {"A": {"relationships":
            {"bs": {"to": "B", "inverse": "a", "many": true, "preserve": true}}},
            "B": {"relationships": {"a": {"to": "A", "inverse": "bs"}}}}}
          """#)
    }
    let text = #expect(throws: SchemaError.self) {
      try Schema(
        parsing:
          #"{"entities": {"A": {"attributes": {"x": {"type": "text", "default": "", "preserve": 1}}}}}"#
      )
    }

    #expect(typed?.faults.map(\.place) == ["Misspelt"])
    #expect(typed?.faults.first?.fault.contains("titel") == true)
    #expect(many?.faults.first?.fault.contains("bs") == true)
    #expect(text?.faults.map(\.place) == ["A.x"])
  }
}
