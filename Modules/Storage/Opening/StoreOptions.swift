public import StrandlineModels

/// Where a store is kept.
public enum StoreLocation: Hashable, Sendable {
  /// A file, with its `-wal` and `-shm` beside it.
  case file(String)
  /// A folder in memory that is this process's alone and is removed when the store closes.
  case memory
}

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// Whether a store may be made where none is.
  public var mayCreate: Bool
  /// Whether it is opened for reading only.
  public var isReadOnly: Bool
  /// The time of day.
  public var clock: WallClock
  /// How many reads run at once.
  public var readerCount: Int
  /// How a store that is listened to is watched for commits of others.
  package var watching = WatchPacing()

  /// Makes options.
  public init(
    mayCreate: Bool = true, isReadOnly: Bool = false, clock: WallClock = .system,
    readerCount: Int = 3
  ) {
    self.mayCreate = mayCreate
    self.isReadOnly = isReadOnly
    self.clock = clock
    self.readerCount = readerCount
  }
}
