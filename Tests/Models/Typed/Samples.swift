import Foundation
import StrandlineModels

struct Shelf: Model {
  var id = RecordID()
  var name = ""

  static let layout = ModelLayout(relationships: [
    .toMany("books", of: Book.self, inverse: "shelf")
  ])
}

/// A reference stands before the attributes, and names have changed.
struct Book: Model {
  var id = RecordID()
  var shelf: Reference<Shelf>?
  var title = ""
  var pages: Int?

  static let layout = ModelLayout(
    relationships: [
      .toOne("shelf", inverse: "books", onDelete: .cascade),
      .toMany("readers", of: Reader.self, inverse: "books"),
    ],
    indexes: [["title"]], renamedFrom: "Volume", renamedProperties: ["title": "name"])
}

struct Reader: Model {
  var id = RecordID()
  var email = ""

  static let layout = ModelLayout(
    relationships: [.toMany("books", of: Book.self, inverse: "readers")], identity: ["email"])
}

struct Visit: Model {
  var id = RecordID()
  var at = Date()
  var token = UUID()
  var place = "home"
}

struct Crate: Model {
  var id = RecordID()
}

struct Stuck: Model {
  var id = RecordID()
  var crate = Reference<Crate>(id: RecordID(text: "s"))

  static let layout = ModelLayout(relationships: [.toOne("crate", inverse: "stuck")])
}

struct Endless: Model {
  var id = RecordID()
  var weight = Double.infinity
}

/// A property of every kind, required and optional.
struct Sample: Model, Equatable {
  enum Colour: String, Codable, Sendable {
    case red
    case blue
  }

  enum Level: Int, Codable, Sendable {
    case low = 1
    case high
  }

  struct Point: Codable, Equatable, Sendable {
    var x = 0.5
    var y = 1
  }

  var id = RecordID(text: "sample")
  var flag = true
  var small: Int8 = -3
  var large: UInt64 = 7
  var number = 1.5
  var single: Float = 0.25
  var text = "text"
  var when = Date(timeIntervalSince1970: 12.5)
  var token = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  var bytes = Data([0, 255])
  var colour = Colour.red
  var level = Level.high
  var point = Point()
  var list = [1, 2]
  var maybeFlag: Bool?
  var maybeSmall: Int8?
  var maybeLarge: UInt64?
  var maybeNumber: Double?
  var maybeSingle: Float?
  var maybeText: String?
  var maybeWhen: Date?
  var maybeToken: UUID?
  var maybeBytes: Data?
  var maybeColour: Colour?
  var maybeLevel: Level?
  var maybePoint: Point?
  var maybeList: [Int]?
  var crate: Reference<Crate>?

  static let layout = ModelLayout(relationships: [.toOne("crate", inverse: "samples")])
}
