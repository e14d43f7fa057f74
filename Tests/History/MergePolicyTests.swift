import StrandlineHistory
import StrandlineModels
import StrandlineStorage
import Testing

/// Every policy against everything that can have happened on the two sides.
@Suite struct MergePolicyTests {
  /// What the two sides do to one record that both know as name "a" and note "n".
  enum Situation: String, CaseIterable, Sendable {
    case changedSameProperty
    case changedDifferentProperties
    case changedToTheSame
    case changedOneOfTwo
    case changedHereOnly
    case deletedInStore
    case deletedInContext
    case deletedOnBothSides
    case insertedOnBothSides
    case insertedAlikeOnBothSides
  }

  enum Outcome: String, Sendable {
    case saved
    case merged
    case discarded
    case refused
  }

  /// What stands in the store afterwards, name and note; nil where the record is gone.
  struct Expectation: Sendable {
    let row: [String?]?
    let outcome: Outcome
    /// The values that lost, in the order of the properties' names.
    var lost: [String] = []
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let situation: Situation
    let policy: MergePolicy
    var testDescription: String { "\(situation.rawValue) under \(policy.rawValue)" }
  }

  static let cases = Situation.allCases.flatMap { situation in
    MergePolicy.allCases.map { Case(situation: situation, policy: $0) }
  }

  static func expectation(_ test: Case) -> Expectation {
    switch (test.situation, test.policy) {
    case (.changedSameProperty, .objectTrumps):
      Expectation(row: ["c", "n"], outcome: .merged, lost: ["s"])
    case (.changedSameProperty, .storeTrumps):
      Expectation(row: ["s", "n"], outcome: .discarded, lost: ["c"])
    case (.changedSameProperty, .overwrite):
      Expectation(row: ["c", "n"], outcome: .saved, lost: ["s"])
    case (.changedSameProperty, .rollback):
      Expectation(row: ["s", "n"], outcome: .discarded, lost: ["c"])
    case (.changedSameProperty, .error): Expectation(row: ["s", "n"], outcome: .refused)

    case (.changedDifferentProperties, .objectTrumps), (.changedDifferentProperties, .storeTrumps):
      Expectation(row: ["c", "s2"], outcome: .merged)
    case (.changedDifferentProperties, .overwrite):
      Expectation(row: ["c", "n"], outcome: .saved, lost: ["s2"])
    case (.changedDifferentProperties, .rollback):
      Expectation(row: ["a", "s2"], outcome: .discarded, lost: ["c"])
    case (.changedDifferentProperties, .error): Expectation(row: ["a", "s2"], outcome: .refused)

    case (.changedToTheSame, _): Expectation(row: ["x", "n"], outcome: .saved)
    case (.changedHereOnly, _): Expectation(row: ["c", "n"], outcome: .saved)

    case (.changedOneOfTwo, .objectTrumps):
      Expectation(row: ["c", "c2"], outcome: .merged, lost: ["s"])
    case (.changedOneOfTwo, .storeTrumps):
      Expectation(row: ["s", "c2"], outcome: .merged, lost: ["c"])
    case (.changedOneOfTwo, .overwrite):
      Expectation(row: ["c", "c2"], outcome: .saved, lost: ["s"])
    case (.changedOneOfTwo, .rollback):
      Expectation(row: ["s", "n"], outcome: .discarded, lost: ["c", "c2"])
    case (.changedOneOfTwo, .error): Expectation(row: ["s", "n"], outcome: .refused)

    case (.deletedInStore, .overwrite):
      Expectation(row: ["c", "n"], outcome: .saved)
    case (.deletedInStore, .error): Expectation(row: nil, outcome: .refused)
    case (.deletedInStore, _): Expectation(row: nil, outcome: .discarded, lost: ["c"])

    case (.deletedInContext, .objectTrumps), (.deletedInContext, .overwrite):
      Expectation(row: nil, outcome: .saved, lost: ["s"])
    case (.deletedInContext, .error): Expectation(row: ["s", "n"], outcome: .refused)
    case (.deletedInContext, _): Expectation(row: ["s", "n"], outcome: .discarded)

    case (.deletedOnBothSides, _): Expectation(row: nil, outcome: .saved)

    case (.insertedOnBothSides, .objectTrumps):
      Expectation(row: ["c", "s2"], outcome: .merged, lost: ["s"])
    case (.insertedOnBothSides, .storeTrumps):
      Expectation(row: ["s", "s2"], outcome: .discarded, lost: ["c"])
    case (.insertedOnBothSides, .overwrite):
      Expectation(row: ["c", nil], outcome: .saved, lost: ["s", "s2"])
    case (.insertedOnBothSides, .rollback):
      Expectation(row: ["s", "s2"], outcome: .discarded, lost: ["c"])
    case (.insertedOnBothSides, .error): Expectation(row: ["s", "s2"], outcome: .refused)

    case (.insertedAlikeOnBothSides, _): Expectation(row: ["x", nil], outcome: .saved)
    }
  }

  @Test(arguments: cases)
  func `a policy decides by its table, and lists what lost`(_ test: Case) async throws {
    let expected = Self.expectation(test)
    let world = try await TestStore()
    let (context, id) = try await prepare(test.situation, world, test.policy)

    let (outcome, lost) = try await save(context, id)

    let row = try await world.record("TodoItem", id)
    #expect(row.map { [$0["name"].text, $0["note"].text] } == expected.row)
    #expect(outcome == expected.outcome)
    #expect(lost == expected.lost)
    if expected.outcome == .refused {
      #expect(context.changedRecords == [RecordIdentity("TodoItem", id)])
    } else {
      #expect(!context.hasChanges)
      #expect(context["TodoItem", id] == row)
    }
  }

  private func prepare(
    _ situation: Situation, _ world: TestStore, _ policy: MergePolicy
  ) async throws -> (EditingContext, RecordID) {
    let id = try await world.item("a", note: "n")
    let context = EditingContext(world.store, mergePolicy: policy)
    _ = try await context.record("TodoItem", id)
    let name: (String) -> [String: Value] = { ["name": .text($0)] }
    switch situation {
    case .changedSameProperty:
      try context.update("TodoItem", id, values: name("c"))
      try await world.make(.update("TodoItem", id, name("s")))
    case .changedDifferentProperties:
      try context.update("TodoItem", id, values: name("c"))
      try await world.make(.update("TodoItem", id, ["note": .text("s2")]))
    case .changedToTheSame:
      try context.update("TodoItem", id, values: name("x"))
      try await world.make(.update("TodoItem", id, name("x")))
    case .changedOneOfTwo:
      try context.update("TodoItem", id, values: ["name": .text("c"), "note": .text("c2")])
      try await world.make(.update("TodoItem", id, name("s")))
    case .changedHereOnly: try context.update("TodoItem", id, values: name("c"))
    case .deletedInStore:
      try context.update("TodoItem", id, values: name("c"))
      try await world.make(.delete("TodoItem", id))
    case .deletedInContext:
      try context.delete("TodoItem", id)
      try await world.make(.update("TodoItem", id, name("s")))
    case .deletedOnBothSides:
      try context.delete("TodoItem", id)
      try await world.make(.delete("TodoItem", id))
    case .insertedOnBothSides:
      let new = try context.insert("TodoItem", values: name("c"))
      try await world.make(
        .insert("TodoItem", new, ["name": .text("s"), "note": .text("s2")]))
      return (context, new)
    case .insertedAlikeOnBothSides:
      let new = try context.insert("TodoItem", values: name("x"))
      try await world.make(.insert("TodoItem", new, name("x")))
      return (context, new)
    }
    return (context, id)
  }

  private func save(
    _ context: EditingContext, _ id: RecordID
  ) async throws -> (Outcome, lost: [String]) {
    do {
      let result = try await context.save()
      let identity = RecordIdentity("TodoItem", id)
      let outcome: Outcome =
        result.saved == [identity] ? .saved : result.merged == [identity] ? .merged : .discarded
      #expect(result.saved + result.merged + result.discarded == [identity])
      return (outcome, result.conflicts.compactMap { $0.discardedValue?.text })
    } catch let error as MergeConflictError {
      #expect(error.conflicts.allSatisfy { $0.winner == nil && $0.discardedValue == nil })
      #expect(!error.conflicts.isEmpty)
      return (.refused, [])
    }
  }
}
