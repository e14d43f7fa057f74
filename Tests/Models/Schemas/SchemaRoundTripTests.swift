import StrandlineModels
import Testing

/// A schema says the same as a model file, and a model file the same as Swift types.
@Suite struct SchemaRoundTripTests {
  private static let everything = """
    {"version": 3, "entities": {
      "Note": {"renamedFrom": "Memo", "attributes": {
        "text": {"type": "text", "default": "it's \\"quoted\\"\\n", "renamedFrom": "body"},
        "count": {"type": "integer", "default": -9223372036854775808},
        "weight": {"type": "real", "default": 0.1}, "large": {"type": "real", "default": 1e300},
        "whole": {"type": "real", "default": 2},
        "done": {"type": "boolean", "default": true},
        "when": {"type": "date", "default": "2026-11-30T14:03:22.120Z"},
        "exact": {"type": "date", "default": 0.123456},
        "token": {"type": "uuid", "default": "00010203-0405-0607-0809-0A0B0C0D0E0F"},
        "bytes": {"type": "data", "default": "AP8="},
        "extra": {"type": "composite", "default": {"a": [1, 2.5, "\\u007f/"], "b": null}},
        "maybe": {"type": "text", "optional": true}},
        "relationships": {
          "folder": {"to": "Folder", "inverse": "notes", "onDelete": "cascade",
            "renamedFrom": "box"},
          "tags": {"to": "Tag", "inverse": "notes", "many": true, "renamedFrom": "marks"}},
        "indexes": [["done", "when"], ["folder"]]},
      "Folder": {"attributes": {"name": {"type": "text", "default": ""}}, "identity": ["name"]},
      "Tag": {"relationships": {"notes": {"to": "Note", "inverse": "tags", "many": true}}},
      "Draft": {"configuration": "local"}
    }}
    """

  @Test func `a model file reads as what it says`() throws {
    let schema = try Schema(parsing: Self.everything)

    #expect(schema.version == 3)
    #expect(schema.entities.map(\.name) == ["Note", "Folder", "Tag", "Draft", "Note_tags"])
    let note = try #require(schema["Note"])
    #expect(note.key == "Memo")
    #expect(note["text"]?.key == "body")
    #expect(note["text"]?.defaultValue == .text("it's \"quoted\"\n"))
    #expect(note["whole"]?.defaultValue == .real(2))
    #expect(note["done"]?.defaultValue == .integer(1))
    #expect(note["token"]?.defaultValue == .blob(Array(0..<16)))
    #expect(note["bytes"]?.defaultValue == .blob([0, 0xFF]))
    #expect(note["maybe"]?.isOptional == true)
    #expect(note["folder"]?.kind == .reference(to: "Folder", onDelete: .cascade))
    #expect(schema["Folder"]?.toMany.map(\.name) == ["notes"])
    #expect(schema["Draft"]?.configuration == .local)
    #expect(schema.syncedKeys["Draft"] == nil)
  }

  @Test func `a link is named by the present names and keyed by the first ones`() throws {
    let schema = try Schema(parsing: Self.everything)

    let link = try #require(schema["Note_tags"])
    #expect(link.isLink)
    #expect(link.key == "Memo_marks")
    #expect(link.properties.map(\.destination) == ["Note", "Tag"])
    #expect(schema["Tag"]?.toMany.first?.link?.ownColumn == "target")
  }

  @Test func `a schema written as a model file reads as itself`() throws {
    let schema = try Schema(parsing: Self.everything)

    #expect(try Schema(parsing: schema.modelFile.text) == schema)
    #expect(try Schema(parsing: schema.modelFile.prettyText) == schema)
  }

  @Test func `Swift types make the schema that their model file makes`() throws {
    let schema = try Schema(version: 2, [Shelf.self, Book.self, Reader.self])

    #expect(try Schema(parsing: schema.modelFile.text) == schema)
    #expect(
      schema
        == (try Schema(
          parsing: """
            {"version": 2, "entities": {
              "Shelf": {"attributes": {"name": {"type": "text", "default": ""}}, "relationships": {
                "books": {"to": "Book", "inverse": "shelf", "many": true}}},
              "Book": {"renamedFrom": "Volume", "attributes": {
                "title": {"type": "text", "default": "", "renamedFrom": "name"},
                "pages": {"type": "integer", "optional": true}},
                "relationships": {
                  "shelf": {"to": "Shelf", "inverse": "books", "onDelete": "cascade"},
                  "readers": {"to": "Reader", "inverse": "books", "many": true}},
                "indexes": [["title"]]},
              "Reader": {"attributes": {"email": {"type": "text", "default": ""}},
                "relationships": {"books": {"to": "Book", "inverse": "readers", "many": true}},
                "identity": ["email"], "configuration": "synced"}
            }}
            """)))
  }

  @Test func `a default that is another one each time is no default`() throws {
    let first = try Schema([Visit.self])
    let second = try Schema([Visit.self])

    #expect(first == second)
    #expect(first["Visit"]?["at"]?.defaultValue == .real(0))
    #expect(first["Visit"]?["token"]?.defaultValue == .blob(Array(repeating: 0, count: 16)))
    #expect(first["Visit"]?["place"]?.defaultValue == .text("home"))
  }

  @Test func `a reference that is not optional is a fault`() {
    let error = #expect(throws: SchemaError.self) { try Schema([Crate.self, Stuck.self]) }

    #expect(
      error?.faults.first?.description
        == "Stuck.crate is not optional. Make it optional; related records may arrive at "
        + "different times.")
  }

  @Test func `a default that is not finite is a fault`() {
    let error = #expect(throws: SchemaError.self) { try Schema([Endless.self]) }

    #expect(
      error?.faults.map(\.description) == [
        "Endless.weight has a default that is not a finite number. Use a number, or make it "
          + "\"optional\": true."
      ])
  }
}
