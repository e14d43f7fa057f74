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
  /// Whether a store may be made in a folder that holds another one.
  ///
  /// Without it, a store that was renamed is never taken for lost: opening its old path names the
  /// file that is there in its place.
  public var mayStandBesideOthers: Bool
  /// Whether it is opened for reading only.
  public var isReadOnly: Bool
  /// The time of day.
  public var clock: WallClock
  /// How many reads run at once.
  public var readerCount: Int
  /// What is to be done to the records of older models, when the store is first opened with a
  /// later one.
  public var dataMigrations: [DataMigration]
  /// How a store that is listened to is watched for commits of others.
  package var watching = WatchPacing()

  /// Makes options.
  public init(
    mayCreate: Bool = true, mayStandBesideOthers: Bool = false, isReadOnly: Bool = false,
    clock: WallClock = .system, readerCount: Int = 3, dataMigrations: [DataMigration] = []
  ) {
    self.mayCreate = mayCreate
    self.mayStandBesideOthers = mayStandBesideOthers
    self.isReadOnly = isReadOnly
    self.clock = clock
    self.readerCount = readerCount
    self.dataMigrations = dataMigrations
  }
}

/// A step that changes records for a new version of the model.
///
/// It runs once in a store that was last opened with an older version, inside the transaction
/// that brings the tables to the new model, after that is done. Its changes are edits like any
/// other: they are stamped, stand in history and are sent, and a value that is the same already
/// stays untouched. Two devices that run the same step therefore agree.
///
/// ```swift
/// let options = StoreOptions(dataMigrations: [
///   DataMigration(version: 2) { transaction in
///     for note in try transaction.records(Query("Note", where: "title = ''")) {
///       try transaction.update("Note", note.id, values: ["title": .text("Untitled")])
///     }
///   }
/// ])
/// ```
public struct DataMigration: Sendable {
  /// The version of the model that the step leads to.
  public let version: Int
  let body: @Sendable (WriteTransaction) throws -> Void

  /// Makes a step; when its body throws, the store is left as it was and is not opened.
  public init(version: Int, body: @escaping @Sendable (WriteTransaction) throws -> Void) {
    self.version = version
    self.body = body
  }
}
