package import Foundation
package import StrandlineModels

/// The to-do model that most tests use, in Swift types.
package struct TodoList: Model {
  package var id = RecordID()
  package var title = ""

  package init() {}

  package init(title: String) {
    self.title = title
  }

  package static let layout = ModelLayout(relationships: [
    .toMany("items", of: TodoItem.self, inverse: "list")
  ])
}

package struct TodoItem: Model {
  package var id = RecordID()
  package var name = ""
  package var done = false
  package var note: String?
  package var priority = 0
  package var due: Date?
  package var list: Reference<TodoList>?

  package init() {}

  package init(_ name: String, done: Bool = false, priority: Int = 0) {
    self.name = name
    self.done = done
    self.priority = priority
  }

  package static let layout = ModelLayout(
    relationships: [
      .toOne("list", inverse: "items"), .toMany("tags", of: Tag.self, inverse: "items"),
    ],
    indexes: [["done", "due"]])
}

package struct Tag: Model {
  package var id = RecordID()
  package var name = ""

  package init() {}

  package init(_ name: String) {
    self.name = name
  }

  package static let layout = ModelLayout(relationships: [
    .toMany("items", of: TodoItem.self, inverse: "tags")
  ])
}

package struct Setting: Model {
  package var id = RecordID()
  package var key = ""
  package var value = ""

  package init() {}

  package static let layout = ModelLayout(identity: ["key"])
}

package enum SampleSchema {
  package static func todo() throws -> Schema {
    try Schema([TodoList.self, TodoItem.self, Tag.self, Setting.self])
  }
}
