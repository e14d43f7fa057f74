import Foundation
import StrandlineModels
import Testing

/// Typed values stand in a store by their own kinds, and read back whatever stands there.
@Suite struct TypedCodingTests {
  private static func values(of sample: Sample) throws -> [String: Value] {
    Dictionary(
      uniqueKeysWithValues: try ModelEncoder.fields(of: sample).map { ($0.name, $0.value) })
  }

  private static func decode(
    _ changes: [String: Value] = [:], of sample: Sample = Sample()
  ) throws -> Sample {
    let entity = try #require(try Schema([Crate.self, Sample.self])["Sample"])
    let defaults = Dictionary(
      uniqueKeysWithValues: entity.properties.map { ($0.name, $0.defaultValue) })
    return try ModelDecoder.decode(
      Sample.self, values: values(of: sample).merging(changes) { $1 }, defaults: defaults)
  }

  private static var full: Sample {
    var sample = Sample()
    sample.maybeFlag = false
    sample.maybeSmall = 5
    sample.maybeLarge = UInt64(Int64.max)
    sample.maybeNumber = -0.5
    sample.maybeSingle = 2
    sample.maybeText = ""
    sample.maybeWhen = Date(timeIntervalSince1970: -1)
    sample.maybeToken = sample.token
    sample.maybeBytes = Data()
    sample.maybeColour = .blue
    sample.maybeLevel = .low
    sample.maybePoint = Sample.Point(x: 3, y: 4)
    sample.maybeList = []
    sample.crate = Reference(id: RecordID(text: "s"))
    return sample
  }

  @Test func `each kind of property has its column type`() throws {
    let entity = try #require(try Schema([Crate.self, Sample.self])["Sample"])
    let types = entity.properties.prefix(13).map { $0.attributeType?.rawValue ?? "reference" }

    #expect(
      types == [
        "boolean", "integer", "integer", "real", "real", "text", "date", "uuid", "data", "text",
        "integer", "composite", "composite",
      ])
    let optionals = entity.properties.dropFirst(13)
    #expect(optionals.prefix(13).map { $0.attributeType?.rawValue ?? "reference" } == types)
    #expect(optionals.allSatisfy { $0.isOptional && $0.defaultValue == .null })
    #expect(entity.properties.last?.kind == .reference(to: "Crate", onDelete: .nullify))
  }

  @Test func `values are encoded as SQLite stores them`() throws {
    let values = try Self.values(of: Self.full)

    #expect(values["id"] == .text("sample"))
    #expect(values["flag"] == .integer(1))
    #expect(values["small"] == .integer(-3))
    #expect(values["when"] == .real(12.5))
    #expect(values["token"] == .blob(Array(0..<16)))
    #expect(values["bytes"] == .blob([0, 255]))
    #expect(values["colour"] == .text("red"))
    #expect(values["level"] == .integer(2))
    #expect(values["point"] == .text("{\"x\":0.5,\"y\":1}"))
    #expect(values["list"] == .text("[1,2]"))
    #expect(values["maybeText"] == .text(""))
    #expect(values["crate"] == .text("s"))
    #expect(try Self.values(of: Sample())["maybePoint"] == .null)
  }

  @Test func `a typed value reads back as it was`() throws {
    #expect(try Self.decode(of: Self.full) == Self.full)
    #expect(try Self.decode() == Sample())
  }

  @Test func `an integer beyond SQLite's is refused`() {
    var sample = Sample()
    sample.large = UInt64.max

    #expect(throws: EncodingError.self) { try ModelEncoder.fields(of: sample) }
  }

  /// Values that are of the wrong kind for nearly every property.
  static let strangers: [Value] = [
    .null, .integer(70_000), .integer(-1), .real(0.5), .text("{"), .text("purple"),
    .text("[\"a\"]"), .blob([1, 2, 3]), .blob([]),
  ]

  @Test(arguments: strangers)
  func `a value of another kind shows the default, or nothing where that is allowed`(
    stranger: Value
  ) throws {
    let names = try ModelEncoder.fields(of: Sample()).map(\.name).filter { $0 != "id" }

    for name in names {
      let found = try Self.decode([name: stranger], of: Self.full)
      let kept = try Self.values(of: found)
      let fallback = try #require(try Self.values(of: Sample())[name])
      #expect(kept[name] == stranger || kept[name] == fallback || Self.isReadable(name, stranger))
    }
  }

  /// Properties that can make something of a value that another property cannot.
  private static func isReadable(_ name: String, _ value: Value) -> Bool {
    let name = name.lowercased()
    return switch value {
    case .integer: ["flag", "number", "single", "when"].contains { name.hasSuffix($0) }
    default: false
    }
  }

  @Test func `an optional that holds another kind is nil`() throws {
    let found = try Self.decode(
      [
        "maybeSmall": .integer(1_000), "maybeText": .integer(1), "maybeWhen": .text("yesterday"),
        "maybeToken": .blob([1]), "maybeColour": .text("purple"), "maybeLevel": .integer(9),
        "maybePoint": .text("{\"x\":1"), "maybeList": .blob([1]), "maybeFlag": .text("true"),
        "crate": .integer(1),
      ], of: Self.full)

    #expect(found.maybeSmall == nil)
    #expect(found.maybeText == nil)
    #expect(found.maybeWhen == nil)
    #expect(found.maybeToken == nil)
    #expect(found.maybeColour == nil)
    #expect(found.maybeLevel == nil)
    #expect(found.maybePoint == nil)
    #expect(found.maybeList == nil)
    #expect(found.maybeFlag == nil)
    #expect(found.crate == nil)
  }

  @Test func `a property that the store does not have shows its default`() throws {
    let found = try ModelDecoder.decode(
      Shelf.self, values: ["id": .text("x")], defaults: ["name": .text("none")])

    #expect(found.name == "none")
    #expect(found.id == RecordID(text: "x"))
  }

  @Test func `a model that does not encode by its properties is refused in words`() {
    struct List: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(1)
      }
    }

    let error = #expect(throws: (any Error).self) {
      try ModelEncoder.fields(of: List())
    }

    #expect(
      (error as? any ExplainedError)?.description
        == "Could not encode a model, its encode(to:) asks for a list. Let the compiler write the "
        + "Codable conformance of the model.")
  }
}
