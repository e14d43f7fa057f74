import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport

/// One store file that is opened with one model after another.
final class MigrationWorld {
  private let folder: TemporaryFolder
  let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store.sqlite")
  }

  func open(_ entities: String) async throws -> Store {
    try await Store.open(.file(path), schema: Schema(parsing: "{\"entities\": {\(entities)}}"))
  }
}

/// Pieces of model files.
enum ModelText {
  static let name = "\"name\": {\"type\": \"text\", \"default\": \"\"}"
  static let count = "\"count\": {\"type\": \"integer\", \"default\": 0}"
  static let data = "\"data\": {\"type\": \"data\", \"optional\": true}"

  static func item(_ attributes: String..., more: String = "") -> String {
    "\"Item\": {\"attributes\": {\(attributes.joined(separator: ","))}\(more)}"
  }

  static let list = """
    "List": {"attributes": {\(name)}, "relationships": {
      "items": {"to": "Item", "inverse": "list", "many": true}}}
    """
  static let toList = """
    , "relationships": {"list": {"to": "List", "inverse": "items"}}, "indexes": [["name", "list"]]
    """
}
