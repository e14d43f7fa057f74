public import StrandlineModels

/// How large a simulated fleet is, and what it may meet.
public struct FleetOptions: Sendable {
  /// How many devices a run may begin with.
  public var devices: ClosedRange<Int>
  /// How many actions a run may have.
  public var actions: ClosedRange<Int>
  /// What a run may meet; each run draws some of them.
  public var hazards: Set<FleetHazard>
  /// How often a failing run is played again in search of fewer actions that fail, too.
  public var replays: Int
  /// A later version of the model, which devices get under ``FleetHazard/upgrades``.
  public var newerSchema: Schema?

  /// Makes options.
  public init(
    devices: ClosedRange<Int> = 2...4, actions: ClosedRange<Int> = 20...60,
    hazards: Set<FleetHazard> = Set(FleetHazard.allCases), replays: Int = 60,
    newerSchema: Schema? = nil
  ) {
    self.devices = devices
    self.actions = actions
    self.hazards = hazards
    self.replays = replays
    self.newerSchema = newerSchema
  }
}
