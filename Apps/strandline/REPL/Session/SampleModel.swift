/// The to-do model that is used where nobody named another one.
package enum SampleModel {
  /// The model file.
  package static let text = """
    {
      "version": 1,
      "entities": {
        "TodoList": {
          "attributes": {
            "title": { "type": "text", "default": "", "preserve": true }
          },
          "relationships": {
            "items": { "to": "TodoItem", "inverse": "list", "many": true }
          }
        },
        "TodoItem": {
          "attributes": {
            "name": { "type": "text", "default": "", "preserve": true },
            "done": { "type": "boolean", "default": false, "preserve": true },
            "note": { "type": "text", "optional": true, "preserve": true },
            "priority": { "type": "integer", "default": 0, "preserve": true },
            "due": { "type": "date", "optional": true, "preserve": true }
          },
          "relationships": {
            "list": { "to": "TodoList", "inverse": "items", "onDelete": "nullify", "preserve": true },
            "tags": { "to": "Tag", "inverse": "items", "many": true }
          },
          "indexes": [["done", "due"]]
        },
        "Tag": {
          "attributes": {
            "name": { "type": "text", "default": "" }
          },
          "relationships": {
            "items": { "to": "TodoItem", "inverse": "tags", "many": true }
          }
        },
        "Habit": {
          "attributes": {
            "name": { "type": "text", "default": "" },
            "done": { "type": "boolean", "default": false },
            "streak": { "type": "integer", "default": 0 }
          }
        }
      }
    }

    """
}
