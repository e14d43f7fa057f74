import StrandlineModels
import Testing

/// The rules of lives and versions, each with the example that made it necessary.
@Suite struct RecordStateTests {
  private let key = RecordKey(entity: "Note", id: RecordID(text: "one"))

  private func stamp(_ number: Int64) -> Stamp { Stamp(rawValue: number) }

  private func birth(_ life: Int64, _ values: [String: Int64] = [:]) -> RecordDelta {
    RecordDelta(
      key: key, birth: stamp(life),
      versions: values.mapValues {
        Version(life: stamp(life), stamp: stamp(life), value: .integer($0))
      })
  }

  private func edit(_ property: String, _ value: Int64, at time: Int64, of life: Int64)
    -> RecordDelta
  {
    RecordDelta(
      key: key,
      versions: [
        property: Version(life: stamp(life), stamp: stamp(time), value: .integer(value))
      ])
  }

  private func delete(_ life: Int64, at time: Int64) -> RecordDelta {
    RecordDelta(key: key, death: Death(life: stamp(life), stamp: stamp(time)))
  }

  private func state(_ deltas: RecordDelta...) -> RecordState { RandomFacts.merged(deltas) }

  @Test func `C2: a new life shows nothing of the old, however late the old was edited`() {
    let unaware = edit("q", 5, at: 102, of: 35)

    let merged = state(birth(35, ["p": 1, "q": 1]), delete(35, at: 76), birth(77), unaware)

    #expect(merged.isAlive)
    #expect(merged.born == stamp(77))
    #expect(merged.versions.isEmpty)
  }

  @Test func `C2: a late edit of a dead life does not shadow a value of the living one`() {
    var merged = state(delete(35, at: 76), birth(77, ["q": 2]))

    let outcome = merged.merge(edit("q", 5, at: 102, of: 35))

    #expect(merged.versions["q"]?.value == .integer(2))
    #expect(outcome.isNothing)
    #expect(outcome.losers.map(\.cause) == [.death])
    #expect(outcome.losers.map(\.isIncoming) == [true])
  }

  @Test func `C2: a late delete of an old life spares the new one`() {
    var merged = state(birth(35), delete(35, at: 76), birth(77, ["p": 3]))

    let outcome = merged.merge(delete(35, at: 90))

    #expect(merged.isAlive)
    #expect(merged.versions["p"]?.value == .integer(3))
    #expect(outcome.changed.isEmpty && outcome.losers.isEmpty)
  }

  @Test func `C2: a birth that rises by a merge stamps no untouched property`() {
    var merged = state(birth(35, ["p": 1, "q": 1]))

    let outcome = merged.merge(birth(77, ["p": 2]))

    #expect(outcome.bornRose)
    #expect(merged.versions.keys.sorted() == ["p"])
    #expect(outcome.losers.allSatisfy { $0.cause == .laterLife && !$0.isIncoming })
    #expect(outcome.losers.map(\.property).sorted() == ["p", "q"])
  }

  @Test func `C2: an edit of an unknown life waits and applies when its birth comes`() {
    var merged = state(edit("p", 4, at: 50, of: 40))
    #expect(!merged.isAlive)
    #expect(merged.parked.count == 1)

    let outcome = merged.merge(birth(40, ["p": 1, "q": 1]))

    #expect(merged.parked.isEmpty)
    #expect(merged.versions["p"]?.value == .integer(4))
    #expect(merged.versions["q"]?.value == .integer(1))
    #expect(outcome.changed == ["p", "q"])
    #expect(outcome.parkedDropped.count == 1)
  }

  @Test func `C2: a parked edit dies with its life and is named`() {
    var merged = state(edit("p", 4, at: 50, of: 40))

    let outcome = merged.merge(delete(40, at: 60))

    #expect(merged.parked.isEmpty)
    #expect(outcome.losers.map(\.cause) == [.death])
  }

  @Test func `C2: an edit from an old life that nobody deleted is a loser too`() {
    var merged = state(birth(77, ["p": 3]))

    let outcome = merged.merge(edit("p", 9, at: 100, of: 35))

    #expect(merged.versions["p"]?.value == .integer(3))
    #expect(outcome.losers.map(\.cause) == [.laterLife])
  }

  @Test func `C2: an insert after a delete that was seen revives, whatever came between`() {
    let merged = state(birth(35), delete(35, at: 90), birth(36, ["p": 1]))

    #expect(merged.isAlive)
    #expect(merged.born == stamp(36))
  }

  @Test func `C2: of two inserts that did not know of each other the later wins whole`() {
    let forwards = state(birth(30, ["p": 1, "q": 1]), birth(40, ["p": 2]))
    let backwards = state(birth(40, ["p": 2]), birth(30, ["p": 1, "q": 1]))

    #expect(forwards == backwards)
    #expect(forwards.versions.keys.sorted() == ["p"])
  }

  @Test func `C2: a delete beats every edit of its life, also a later one`() {
    let merged = state(birth(35), edit("p", 1, at: 500, of: 35), delete(35, at: 90))

    #expect(!merged.isAlive)
    #expect(merged.versions.isEmpty)
  }

  @Test func `C16: a version with the unset stamp says nothing`() {
    var merged = state(birth(35))

    let outcome = merged.merge(edit("p", 1, at: 0, of: 35))

    #expect(outcome.isNothing && outcome.losers.isEmpty)
  }

  @Test func `equal stamps are decided by value, alike everywhere`() {
    let one = edit("p", 1, at: 50, of: 35)
    let two = edit("p", 2, at: 50, of: 35)

    #expect(state(birth(35), one, two) == state(birth(35), two, one))
    #expect(state(birth(35), one, two).versions["p"]?.value == .integer(2))
  }

  @Test func `the greatest stamp of a delta counts the lives that its versions name`() {
    #expect(edit("p", 1, at: 50, of: 900).greatestStamp == stamp(900))
    #expect(delete(35, at: 90).greatestStamp == stamp(90))
    #expect(birth(35).greatestStamp == stamp(35))
  }
}
