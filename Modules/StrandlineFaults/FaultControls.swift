public import StrandlineModels

/// What a faulty transport does wrong, and how often.
public struct FaultControls: Hashable, Sendable {
  /// Whether nothing gets through at all.
  public var isDown = false
  /// How probable each fault is in each call, from 0 to 1.
  public var rates: [Fault: Double] = [:]
  /// Faults that happen for certain, each to the next call that it can happen to.
  public var next: [Fault] = []
  /// How long a throttled caller is told to wait, a day at most.
  public var throttleSeconds: Int64 = 1
  /// How long a delayed request takes.
  public var delayMilliseconds: ClosedRange<Int64> = 30...100
  /// Records that are refused whenever they are sent.
  public var refusedRecords: Set<RecordID> = []

  /// Starts with nothing going wrong.
  public init() {}
}

/// What has gone wrong so far.
public struct FaultCounts: Hashable, Sendable {
  /// The number of calls that were made.
  public internal(set) var calls = 0
  /// The number of calls that met a link that was down.
  public internal(set) var down = 0
  /// The number of records that were refused.
  public internal(set) var refusedRecords = 0
  /// How often each fault happened.
  public internal(set) var faults: [Fault: Int] = [:]
}
