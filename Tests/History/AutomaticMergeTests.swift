import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct AutomaticMergeTests {
  @Test @MainActor func `a context of the main actor is read and edited without waiting`()
    async throws
  {
    let world = try await TestStore()
    let id = try await world.item("a")
    let model = try await ViewModel(world.store, id)
    let merging = Task { try await model.follow() }
    model.rename("b")
    #expect(model.name == "b")

    try await world.make(.update("TodoItem", id, ["priority": .integer(5)]), by: .anImport)
    await model.waitUntilMerged()

    #expect(model.priority == 5)
    #expect(model.name == "b")
    merging.cancel()
    try await merging.value
  }

  /// What a view on the main actor would hold.
  @MainActor private final class ViewModel {
    private let context: EditingContext
    private let id: RecordID
    private var isMerged = false
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ store: Store, _ id: RecordID) async throws {
      context = EditingContext(store)
      self.id = id
      _ = try await context.record("TodoItem", id)
    }

    var name: String? { context["TodoItem", id]?["name"].text }
    var priority: Int64? { context["TodoItem", id]?["priority"].integer }

    func rename(_ name: String) {
      #expect(throws: Never.self) {
        try context.update("TodoItem", id, values: ["name": .text(name)])
      }
    }

    func follow() async throws {
      try await context.mergeAutomatically { _ in
        self.isMerged = true
        self.waiting?.resume()
        self.waiting = nil
      }
    }

    func waitUntilMerged() async {
      if !isMerged { await withCheckedContinuation { waiting = $0 } }
    }
  }

  @Test func `automatic merging follows on the actor of the context`() async throws {
    let world = try await TestStore()
    let id = try await world.item("a", note: "n")
    let window = try await Window(world.store, id)
    let merging = Task { try await window.follow() }

    for (number, writer) in [
      TestStore.Writer.sameProcess, .anotherContext, .anImport,
    ].enumerated() {
      try await world.make(
        .update("TodoItem", id, ["note": .text(writer.rawValue)]), by: writer)
      let shown = await window.shown(afterMerges: number + 1)
      #expect(shown?["note"] == .text(writer.rawValue))
      #expect(shown?["name"] == .text("unsaved"))
    }
    // What concerns others is no news, so the next news is the delete.
    _ = try await world.item("not shown", priority: 3)
    try await world.make(.delete("TodoItem", id), by: .anImport)
    _ = await window.shown(afterMerges: 4)

    #expect(await window.merges.map(\.deleted).last == [RecordIdentity("TodoItem", id)])
    #expect(await window.merges.count == 4)
    merging.cancel()
    try await merging.value
  }

  /// A window that shows one record which it edits, as a view model would.
  private actor Window {
    private let context: EditingContext
    private let id: RecordID
    private(set) var merges: [ContextMerge] = []
    private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    init(_ store: Store, _ id: RecordID) async throws {
      context = EditingContext(store)
      self.id = id
      _ = try await context.record("TodoItem", id)
      try context.update("TodoItem", id, values: ["name": .text("unsaved")])
    }

    func follow() async throws {
      try await context.mergeAutomatically { merge in
        self.assertIsolated()
        self.merges.append(merge)
        for waiter in self.waiting where waiter.count <= self.merges.count {
          waiter.continuation.resume()
        }
        self.waiting.removeAll { $0.count <= self.merges.count }
      }
    }

    func shown(afterMerges count: Int) async -> Record? {
      if merges.count < count {
        await withCheckedContinuation { waiting.append((count, $0)) }
      }
      return context["TodoItem", id]
    }
  }
}
