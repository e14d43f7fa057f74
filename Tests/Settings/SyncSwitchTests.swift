import StrandlineModels
import StrandlineSettings
import StrandlineStorage
import StrandlineTestSupport
import Testing

@Suite struct SyncSwitchTests {
  typealias Step = (start: SyncSwitch, event: SyncSwitch.Event, end: SyncSwitch)

  private static let steps: [Step] = [
    (SyncSwitch(), .turnOn, SyncSwitch(isWanted: true)),
    (SyncSwitch(isPurgePending: true), .turnOn, SyncSwitch(isWanted: true)),
    (SyncSwitch(isWanted: true), .turnOn, SyncSwitch(isWanted: true)),
    (SyncSwitch(isWanted: true), .turnOff(purge: false), SyncSwitch()),
    (SyncSwitch(isWanted: true), .turnOff(purge: true), SyncSwitch(isPurgePending: true)),
    (
      SyncSwitch(isPurgePending: true), .turnOff(purge: false), SyncSwitch(isPurgePending: true)
    ),
    (SyncSwitch(isPurgePending: true), .purged, SyncSwitch()),
    (SyncSwitch(isWanted: true), .purged, SyncSwitch(isWanted: true)),
    (SyncSwitch(), .setAutomatic(false), SyncSwitch(isAutomatic: false)),
    (
      SyncSwitch(isWanted: true, isAutomatic: false), .turnOff(purge: false),
      SyncSwitch(isAutomatic: false)
    ),
    (SyncSwitch(isAutomatic: false), .setAutomatic(true), SyncSwitch()),
  ]

  @Test func `each event leads from each state to the one that the table names`() {
    for step in Self.steps {
      var state = step.start
      state.handle(step.event)
      #expect(state == step.end, "\(step)")
    }
  }

  @Test func `a new store does not sync before somebody asks for it`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())

    let state = try await store.read { try $0.syncSwitch() }

    #expect(!state.isWanted)
    #expect(state.isAutomatic)
  }

  @Test func `another opening of the store sees the switch`() async throws {
    let store = try await Store.open(.memory, schema: try SampleSchema.todo())
    try await store.handleSwitch(.turnOn)
    try await store.handleSwitch(.setAutomatic(false))
    try await store.handleSwitch(.turnOff(purge: true))

    let other = try await Store.open(.file(store.path), schema: store.schema)

    #expect(
      try await other.read { try $0.syncSwitch() }
        == SyncSwitch(isWanted: false, isAutomatic: false, isPurgePending: true))
  }
}
