import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

/// A store with a few records, and another program that writes to it.
///
/// The items `a` and `b` are on the list `l`; the item `a` has the tag `t`.
struct CaptureWorld {
  let store: Store
  let setting: ForeignSetting
  private let start: Int64

  static let link = RecordID.link(RecordID(text: "t"), RecordID(text: "a"))

  init(_ setting: ForeignSetting) async throws {
    self.setting = setting
    store = try await Store.open(.memory, schema: SampleSchema.todo())
    try await store.write {
      try $0.insert("TodoList", id: RecordID(text: "l"), values: ["title": .text("Home")])
      for (id, priority) in [("a", 4), ("b", 5)] as [(String, Int64)] {
        try $0.insert(
          "TodoItem", id: RecordID(text: id),
          values: ["name": .text(id), "priority": .integer(priority), "list": .text("l")])
      }
      try $0.insert("Tag", id: RecordID(text: "t"), values: ["name": .text("shop")])
      try $0.link("TodoItem", RecordID(text: "a"), "tags", to: RecordID(text: "t"))
    }
    start = try await store.read { try $0.logHead() }
  }

  /// Runs a script that must succeed.
  func run(_ sql: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let message = try await setting.run(sql, on: store.path)
    #expect(message == nil, sourceLocation: sourceLocation)
  }

  /// Expects the script to be refused with a message, and to leave no trace.
  func expectRefusal(
    of sql: String, saying words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try await contents()
    let message = try await setting.run(sql, on: store.path)
    let after = try await contents()

    #expect(message?.contains(words) == true, "\(message ?? "")", sourceLocation: sourceLocation)
    #expect(before == after, sourceLocation: sourceLocation)
    try await expect([], sourceLocation: sourceLocation)
  }

  /// Expects just these log rows, sealed into one external transaction by the next write.
  func expect(
    _ changes: [LoggedChange], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let start = start
    try await store.write { _ in }
    try await store.read { read in
      let log = try read.log(after: start)
      #expect(log.map(\.what) == changes, sourceLocation: sourceLocation)
      let transactions = try read.transactions(after: start)
      let sealed =
        changes.isEmpty
        ? [] : [TransactionRow(first: start + 1, last: log.last?.sequence ?? 0, origin: -1)]
      #expect(transactions == sealed, sourceLocation: sourceLocation)
      #expect(try read.disagreements() == [], sourceLocation: sourceLocation)
      #expect(try read.seen() >= read.greatestStamp(), sourceLocation: sourceLocation)
      #expect(try read.seen() >= log.map(\.stamp).max() ?? .unset, sourceLocation: sourceLocation)
    }
  }

  private func contents() async throws -> [Record] {
    try await store.read { read in
      try read.schema.entities.flatMap { try read.records(Query($0.name)) }
    }
  }

  func value(_ entity: String, _ id: String, _ property: String) async throws -> Value? {
    try await store.read { try $0.record(entity, RecordID(text: id))?[property] }
  }
}
