import Foundation
import Strandline

/// The record that everything is measured with: a to-do of five columns.
struct BenchTodo: Model {
  var id = RecordID()
  var name = ""
  var done = false
  var note: String?
  var priority = 0
  var due: Date?

  init() {}

  /// The record of a number; the same number gives the same values.
  init(number: Int) {
    name = "Buy \(number) litres of milk"
    done = number % 3 == 0
    note = number % 2 == 0 ? "The one in the blue carton, from the shop at the corner." : nil
    priority = number % 5
    due = number % 4 == 0 ? Date(timeIntervalSince1970: 1_800_000_000 + Double(number)) : nil
  }

  /// So many records with ids in the order of time.
  static func many(_ count: Int) -> [BenchTodo] {
    (0..<count).map { BenchTodo(number: $0) }
  }

  /// The bytes of the values themselves, for comparison with what a file or a wire takes.
  var dataSize: Int {
    16 + name.utf8.count + 1 + (note?.utf8.count ?? 0) + 8 + (due == nil ? 0 : 8)
  }
}
